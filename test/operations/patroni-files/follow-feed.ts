import { setTimeout as sleep } from 'node:timers/promises'

interface Page {
  readonly result: {
    readonly data: readonly { readonly id: string }[]
    readonly cursor: string
    readonly hasMore: boolean
  }
}

const requestMilliseconds = 5000

/** Reads the feed from its start until the run ends. Returns the ids of all creations of organizations. */
export async function followFeed(token: string, isDone: () => boolean): Promise<string[]> {
  const ids: string[] = []
  let after: string | undefined
  for (;;) {
    const wasDone = isDone()
    const page = await readPage(token, after)
    if (page) {
      ids.push(...page.result.data.map(({ id }) => id))
      after = page.result.cursor
    }
    if (page && wasDone && !page.result.hasMore) return ids
    if (!page?.result.hasMore) await sleep(20)
  }
}

/** Returns undefined if the store is unavailable. An error that only a bug can explain ends the run. */
async function readPage(token: string, after: string | undefined): Promise<Page | undefined> {
  const query = new URLSearchParams({ resource: 'organization', action: 'create', ...(after && { after }) })
  const answer = await fetch(`http://127.0.0.1:5100/ext/changes?${query}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(requestMilliseconds),
  }).catch(() => undefined)
  if (answer?.status === 200) return (await answer.json()) as Page
  if (answer && answer.status < 500)
    throw new Error(`The feed answered ${answer.status}: ${await answer.text()}`)
  return undefined
}
