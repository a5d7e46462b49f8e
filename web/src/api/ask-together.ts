type Ask<Answer> = (path: string, signal?: AbortSignal) => Promise<Answer>

interface Asked<Answer> {
  readonly answer: Promise<Answer>
  readonly left: AbortController
  waiting: number
}

/**
 * What several parts of a screen ask for at the same moment is asked for once, until the last of them has left. Only then: an answer
 * from before a write, or from before somebody came back to the page, is not what is asked for after it.
 */
export function askTogether<Answer>(ask: Ask<Answer>): Ask<Answer> {
  const asked = new Map<string, Asked<Answer>>()
  const begin = (path: string): Asked<Answer> => {
    const left = new AbortController()
    const one = { answer: ask(path, left.signal), left, waiting: 0 }
    asked.set(path, one)
    queueMicrotask(() => asked.delete(path))
    return one
  }
  return (path, signal) => {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const one = asked.get(path) ?? begin(path)
    one.waiting += 1
    return new Promise((resolve, reject) => {
      const leave = () => {
        one.waiting -= 1
        if (one.waiting === 0) one.left.abort()
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
      one.answer.then(resolve, reject)
    })
  }
}
