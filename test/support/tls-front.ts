import { type AddressInfo, connect } from 'node:net'
import { createServer } from 'node:tls'

/** Ends TLS before a host, as a load balancer does, and passes the bytes on. Returns its port. */
export async function startTlsFront(
  target: string,
  { ca: cert, key }: { readonly ca: string; readonly key: string },
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const [host, port] = target.split(':')
  const server = createServer({ cert, key, ALPNProtocols: ['h2'] }, (socket) => {
    const inner = connect(Number(port), host)
    for (const end of [socket, inner]) end.on('error', () => [socket, inner].map((one) => one.destroy()))
    socket.pipe(inner).pipe(socket)
  })
  // A client that rejects the certificate ends the handshake.
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
