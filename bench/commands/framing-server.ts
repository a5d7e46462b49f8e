import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js'

// Responds to every call with the same 300 bytes, with the library (`library`) or with Node's HTTP/2 alone
// (`bare`). Prints its port.
const answer = Buffer.alloc(300, 7)

const listen: Readonly<Record<string, () => Promise<number>>> = {
  library() {
    const server = new Server()
    const asIs = (bytes: Buffer): Buffer => bytes
    const handle: handleUnaryCall<Buffer, Buffer> = (_call, reply) => reply(null, answer)
    server.register('/floor.Floor/Get', handle, asIs, asIs, 'unary')
    return new Promise((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    )
  },
  bare() {
    const head = Buffer.alloc(5)
    head.writeUInt32BE(answer.length, 1)
    const framed = Buffer.concat([head, answer])
    const server = createServer()
    server.on('stream', (stream) => {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        // A host also has to join the parts. The result is not used here.
        Buffer.concat(parts)
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
        stream.end(framed)
      })
    })
    return new Promise((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    )
  },
}

console.log(await listen[process.argv[2] ?? '']?.())
