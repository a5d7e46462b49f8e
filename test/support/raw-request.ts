import { once } from 'node:events'
import { connect } from 'node:net'
import type { Answer } from './rest-host.ts'

export interface RawOptions {
  /** Closes the connection after this time without a response. */
  readonly millisecondsMax?: number
}

/**
 * Sends bytes unchanged. Returns the received bytes when the response is complete, or the connection closes or
 * stays silent.
 */
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
    if (isComplete(received)) socket.destroy()
  })
  // A reset after the response is no problem.
  socket.on('error', () => undefined)
  socket.setTimeout(options.millisecondsMax ?? 60_000, () => socket.destroy())
  socket.write(bytes)
  await once(socket, 'close')
  return received
}

/** Sends bytes that no client library would send, and parses the response. */
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

function isComplete(text: string): boolean {
  const [head = '', body] = splitOnce(text, '\r\n\r\n')
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  return body !== undefined && length !== undefined && body.length >= Number(length)
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}
