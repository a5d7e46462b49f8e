import { once } from 'node:events'
import { connect } from 'node:net'
import type { Answer } from './rest-host.ts'

export interface RawOptions {
  /** Closes our side after this many milliseconds without an answer. */
  readonly millisecondsMax?: number
}

/** Sends bytes as they are and returns everything that came back until the connection was over or stayed silent. */
export async function sendRaw(
  address: string,
  bytes: string | Buffer,
  options: RawOptions = {},
): Promise<string> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
    if (isWhole(received)) socket.destroy()
  })
  // A reset after the answer is as good an end as any.
  socket.on('error', () => undefined)
  socket.setTimeout(options.millisecondsMax ?? 60_000, () => socket.destroy())
  socket.write(bytes)
  await once(socket, 'close')
  return received
}

/** As `call` answers, for what no client library would send. */
export async function callRaw(
  address: string,
  bytes: string | Buffer,
  options?: RawOptions,
): Promise<Answer> {
  const text = await sendRaw(address, bytes, options)
  const [head = '', body = ''] = splitOnce(text, '\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Headers()
  for (const line of lines) {
    const [name, value] = splitOnce(line, ':')
    if (name && value !== undefined) headers.append(name, value.trim())
  }
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false
  return {
    status: Number(statusLine.split(' ')[1] ?? 0),
    headers,
    body: isJson && body !== '' ? JSON.parse(body) : body,
  }
}

function isWhole(text: string): boolean {
  const [head = '', body] = splitOnce(text, '\r\n\r\n')
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  return body !== undefined && length !== undefined && body.length >= Number(length)
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}
