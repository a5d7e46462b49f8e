import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  readonly body: string
}

/** Longer than the server's own limits: reaching it means that a connection hangs. */
const hangsAfterMilliseconds = 20_000

/**
 * Sends the bytes and resolves with the expected number of responses, or with all responses until the
 * connection ends.
 */
export function exchange(
  port: number,
  parts: readonly (string | Buffer)[],
  { expected = Number.POSITIVE_INFINITY, pauseMilliseconds = 0 } = {},
): Promise<RawAnswer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const answers: RawAnswer[] = []
    let incomplete = ''
    const done = () => {
      clearTimeout(hangTimer)
      socket.destroy()
      resolve(answers)
    }
    const hangTimer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`The connection hangs after ${answers.length} answers and ${incomplete}`))
    }, hangsAfterMilliseconds)
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      incomplete = takeAnswers(incomplete + chunk, answers)
      if (answers.length >= expected) done()
    })
    // A server may reset the connection. Earlier responses still count.
    socket.on('error', () => {})
    socket.on('close', done)
    void sendParts()

    async function sendParts() {
      for (const part of parts) {
        if (!socket.writable) return
        socket.write(part)
        if (pauseMilliseconds > 0) await new Promise((next) => setTimeout(next, pauseMilliseconds))
      }
    }
  })
}

/** Moves complete responses into `answers`, except interim ones (100), and returns the incomplete text. */
function takeAnswers(text: string, answers: RawAnswer[]): string {
  let rest = text
  for (;;) {
    const head = /^HTTP\/1\.1 (\d{3}).*?\r\n\r\n/s.exec(rest)
    if (head === null) return rest
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head[0])?.[1] ?? 0)
    const end = head[0].length + length
    if (rest.length < end) return rest
    if (head[1] !== '100') answers.push({ status: Number(head[1]), body: rest.slice(head[0].length, end) })
    rest = rest.slice(end)
  }
}

export function requestBytes(
  method: string,
  path: string,
  body?: string | Buffer,
  headers: readonly string[] = ['Content-Type: application/json'],
): Buffer {
  const bytes = body === undefined ? undefined : Buffer.from(body)
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: bank', ...headers]
  if (bytes) lines.push(`Content-Length: ${bytes.length}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes ?? Buffer.alloc(0)])
}
