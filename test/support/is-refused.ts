import { once } from 'node:events'
import { connect } from 'node:net'

/** Returns true if nothing listens on the port. */
export async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}
