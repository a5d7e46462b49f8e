import { Server } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'

/** So many turns with a new connection each mean that there is never a turn without one. */
const turnsMax = 1000

/**
 * Takes no new connections and leaves the open ones alone, idle ones too. A connection that waits to be accepted when the
 * socket closes would be reset, with a request on it: so it closes right after a turn in which none was waiting.
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
