import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** As it came over the line, with soft line ends taken out. */
  readonly text: string
}

export interface MailServer {
  readonly url: string
  readonly received: readonly ReceivedMail[]
  /** Waits until as many have come for somebody. */
  mailsTo(address: string, count?: number): Promise<readonly ReceivedMail[]>
  stop(): Promise<void>
}

/** A real SMTP server on this machine. Without TLS unless a certificate is given, or its own is asked for. */
export async function startMailServer(
  options: SMTPServerOptions & { readonly port?: number } = {},
): Promise<MailServer> {
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
          text: text.replaceAll('=\r\n', '').replaceAll('=3D', '='),
        })
        done()
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const of = (address: string) => received.filter(({ to }) => to.includes(address))
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    async mailsTo(address, count = 1) {
      for (let waited = 0; of(address).length < count && waited < 30_000; waited += 50)
        await new Promise((resolve) => setTimeout(resolve, 50))
      return of(address)
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The secret of the link in a mail. */
export const secretIn = (mail: ReceivedMail | undefined): string =>
  /#(svl_[0-9a-f]{72})/.exec(mail?.text ?? '')?.[1] ?? ''
