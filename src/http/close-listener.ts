import { Server } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'

/** After this many turns of the event loop that each brought a new connection, waiting for one without is given up. */
const turnsMax = 1000

/**
 * Stops accepting connections and keeps the open ones, idle ones too. A connection that is waiting to be accepted when the
 * socket closes would be reset with its request, so the socket closes right after a turn of the event loop that brought none.
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
    await turn()
  }
  server.off('connection', note)
  // The HTTP server's own way to close ends idle connections too.
  if (server.listening) Server.prototype.close.call(server)
}
