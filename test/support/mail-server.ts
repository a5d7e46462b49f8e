import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** The unchanged header, and the decoded body. */
  readonly text: string
}

export interface MailServer {
  readonly url: string
  readonly received: readonly ReceivedMail[]
  /** Waits until `count` mails have arrived for an address. */
  mailsTo(address: string, count?: number): Promise<readonly ReceivedMail[]>
  stop(): Promise<void>
}

/** Responds to a mail that has arrived: by default, with success. */
type AfterData = (done: (error?: Error) => void) => void

/** Starts a real SMTP server on this machine. TLS is off by default. */
export async function startMailServer({
  afterData = (done) => done(),
  ...options
}: SMTPServerOptions & { readonly port?: number; readonly afterData?: AfterData } = {}): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    ...options,
    onData(stream, { envelope }, done) {
      let text = ''
      stream.setEncoding('utf8')
      stream.on('data', (part: string) => {
        text += part
      })
      stream.on('end', () => {
        received.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          text: decode(text),
        })
        afterData(done)
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const mailsOf = (address: string) => received.filter(({ to }) => to.includes(address))
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    async mailsTo(address, count = 1) {
      for (let waited = 0; mailsOf(address).length < count && waited < 30_000; waited += 50)
        await new Promise((resolve) => setTimeout(resolve, 50))
      return mailsOf(address)
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function decode(mail: string): string {
  const headEnd = mail.indexOf('\r\n\r\n')
  const head = mail.slice(0, headEnd)
  const body = mail.slice(headEnd)
  if (/^content-transfer-encoding: base64/im.test(head))
    return `${head}\r\n\r\n${Buffer.from(body, 'base64')}`
  if (!/^content-transfer-encoding: quoted-printable/im.test(head)) return mail
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)))
  return head + Buffer.from(bytes, 'latin1').toString('utf8')
}

export const secretIn = (mail: ReceivedMail | undefined): string =>
  /#(svl_[0-9a-f]{72})/.exec(mail?.text ?? '')?.[1] ?? ''
