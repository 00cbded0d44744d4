#!/usr/bin/env python3
"""Delivers four messages over LMTP for ./quickstart and prints the replies: quickstart_mail.py SOCKET FILE.

FILE receives the octets of the message with the attachment, to compare with what is exported.
Exit status 1 when a reply is not the expected one."""
import email.mime.application
import email.mime.multipart
import email.mime.text
import email.policy
import smtplib
import sys


def plain(subject, body):
    message = email.mime.text.MIMEText(body, "plain", "utf-8")
    return finished(message, subject)


def two_parts():
    message = email.mime.multipart.MIMEMultipart()
    message.attach(email.mime.text.MIMEText("The report is attached.\n", "plain", "us-ascii"))
    report = email.mime.application.MIMEApplication(bytes(range(256)), "octet-stream", name="report.bin")
    report.add_header("Content-Disposition", "attachment", filename="report.bin")
    message.attach(report)
    return finished(message, "Two parts")


def finished(message, subject):
    message["From"] = "Carol <carol@example.net>"
    message["To"] = "alice@example.org"
    message["Subject"] = subject
    message["Date"] = "Mon, 30 Nov 2026 10:00:00 +0000"
    message["Message-ID"] = "<%s@example.net>" % subject.replace(" ", ".").lower()
    return message.as_bytes(policy=email.policy.SMTP)


def deliver(client, octets, recipients):
    """[(recipient, reply)] in RCPT order, the refused ones included."""
    client.mail("carol@example.net", ["SIZE=%d" % len(octets)])
    answers, accepted = [], []
    for recipient in recipients:
        code, text = client.rcpt(recipient)
        if code == 250:
            accepted.append(recipient)
        else:
            answers.append((recipient, code, text))
    if accepted:
        client.putcmd("data")
        client.getreply()
        client.send(dot_stuffed(octets))
        for recipient in accepted:
            answers.append((recipient, *client.getreply()))
    else:
        client.rset()
    for recipient, code, text in answers:
        print("  %-24s %d %s" % (recipient, code, text.decode("utf-8", "replace")))
    return [code for _, code, _ in answers]


def dot_stuffed(octets):
    lines = octets.split(b"\r\n")
    return b"\r\n".join(b"." + line if line.startswith(b".") else line for line in lines) + b".\r\n"


def main():
    socket, sent = sys.argv[1:]
    attachment = two_parts()
    with open(sent, "wb") as f:
        f.write(attachment)
    client = smtplib.LMTP(socket)
    client.ehlo_or_helo_if_needed()
    cases = [
        ("plain text", plain("Hello", "Grüße\n.a line with a dot\n"), ["alice@example.org"], [250]),
        ("an attachment", attachment, ["bob@example.org"], [250]),
        ("an alias of two users, and a detail", plain("To both", "hi\n"), ["sales@example.org", "bob+news@example.org"], [250, 250]),
        ("an unknown recipient beside a known one", plain("Half", "hi\n"), ["nobody@example.org", "alice@example.org"], [550, 250]),
    ]
    good = True
    for name, octets, recipients, expected in cases:
        print("%s (%d octets)" % (name, len(octets)))
        good = deliver(client, octets, recipients) == expected and good
    client.quit()
    sys.exit(0 if good else 1)


main()
