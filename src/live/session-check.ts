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
    /** Whether the session still stands. Also false while the store does not answer; the next tick asks again. */
    async run(then: () => void = () => undefined): Promise<boolean> {
      isUnderWay = true
      checkedAt = Date.now()
      try {
        const stands = await session.recheck()
        if (stands) then()
        else onEnded()
        return stands
      } catch {
        return false
      } finally {
        isUnderWay = false
      }
    },
  }
}
