import type { Page } from '../api/api.ts'

/** The last known rows of lists, so that a dialog or screen opened again shows them at once while they are loaded anew. */
export interface LastPages {
  find<Row>(path: string): Page<Row> | undefined
  keep(path: string, page: Page<unknown>): void
  /** Whoever else shows this list learns of newer rows. Returns how to hear no more. */
  onKept<Row>(path: string, listener: (page: Page<Row>) => void): () => void
}

/** Some megabytes at most; the oldest is dropped first. */
const pagesMax = 60

export function createLastPages(): LastPages {
  const pages = new Map<string, Page<unknown>>()
  const listeners = new Set<(path: string, page: Page<unknown>) => void>()
  return {
    find: <Row>(path: string) => pages.get(path) as Page<Row> | undefined,
    keep(path, page) {
      pages.delete(path)
      pages.set(path, page)
      const [oldest] = pages.keys()
      if (pages.size > pagesMax && oldest !== undefined) pages.delete(oldest)
      for (const listener of listeners) listener(path, page)
    },
    onKept<Row>(path: string, listener: (page: Page<Row>) => void) {
      const hear = (kept: string, page: Page<unknown>) => kept === path && listener(page as Page<Row>)
      listeners.add(hear)
      return () => void listeners.delete(hear)
    },
  }
}
