import type { Authenticated } from '../authentication/authenticate.ts'

/** An idle stream sends nothing that would have its session checked, so it is checked this often as well. */
const sessionCheckMilliseconds = 5000

/** The session is looked at again before whatever is sent, and now and then; most times that is a look into a cache. */
export function createSessionCheck(session: Authenticated, onEnded: () => void) {
  let checkedAt = Date.now()
  let isUnderWay = false
  return {
    get isUnderWay() {
      return isUnderWay
    },
    isDue: (now: number) => !isUnderWay && now - checkedAt >= sessionCheckMilliseconds,
    /**
     * Whether the session still stands: told at once where that is remembered, as a thousand streams of one change cannot wait
     * for a promise each. Also false while the store does not answer; the next tick asks again.
     */
    run(then: () => void = () => undefined): boolean | Promise<boolean> {
      checkedAt = Date.now()
      const settle = (stands: boolean) => {
        isUnderWay = false
        if (stands) then()
        else onEnded()
        return stands
      }
      const stands = session.recheck()
      if (typeof stands === 'boolean') return settle(stands)
      isUnderWay = true
      return stands.then(settle).catch(() => {
        isUnderWay = false
        return false
      })
    },
  }
}
