import { Server } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'

/** After this many turns of the event loop that each brought a new connection, or much work, waiting is given up. */
const turnsMax = 1000

/** Of a turn in which nothing was done: what comes after its look for connections is reset. */
const shortMilliseconds = 0.2

/**
 * Stops accepting connections and keeps the open ones, idle ones too. A connection that is waiting to be accepted when the
 * socket closes would be reset with its request, so the socket closes right after a short turn of the event loop that brought none.
 */
export async function closeListener(server: Server): Promise<void> {
  let isQuiet = false
  const note = () => {
    isQuiet = false
  }
  server.on('connection', note)
  // Only from the end of one turn to the end of the next has the system been asked for connections.
  await turn()
  for (let turns = 0; turns < turnsMax && !isQuiet; turns += 1) {
    isQuiet = true
    const startedAt = performance.now()
    await turn()
    if (performance.now() - startedAt > shortMilliseconds) isQuiet = false
  }
  server.off('connection', note)
  // The HTTP server's own way to close ends idle connections too.
  if (server.listening) Server.prototype.close.call(server)
}
