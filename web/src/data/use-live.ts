import { useEffect, useState } from 'preact/hooks'
import { type Connection, openLiveListing } from '../api/live-listing.ts'
import { useServices } from '../services/services.ts'
import { SessionEnded } from '../session/session.ts'
import type { Loaded } from './use-loaded.ts'

export interface Live<Value> extends Loaded<Value> {
  readonly connection: Connection
}

/** An answer that is sent again whenever it changes, such as a report. */
export function useLive<Value>(path: string): Live<Value> {
  const { send, session } = useServices()
  const [known, setKnown] = useState<{ path: string; value?: Value; problem?: Error }>({ path })
  const [connection, setConnection] = useState<Connection>('connecting')
  const [turn, setTurn] = useState(0)
  const isSignedIn = session.state.value === 'signed-in'
  useEffect(() => {
    if (!isSignedIn) return
    return openLiveListing(send, {
      path,
      onPage: (value) => setKnown({ path, value: value as Value }),
      onConnection: setConnection,
      onProblem: (problem) =>
        problem instanceof SessionEnded || setKnown((last) => ({ ...last, path, problem })),
    })
  }, [send, path, turn, isSignedIn])
  return {
    value: known.value,
    isStale: known.path !== path,
    problem: known.problem,
    connection,
    reload: () => setTurn((count) => count + 1),
  }
}
