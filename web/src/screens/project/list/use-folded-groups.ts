import { useState } from 'preact/hooks'
import { readStoredJson } from '../../../services/stored-json.ts'
import type { Line } from './list-columns.ts'

export interface FoldedGroups {
  has(lineId: string): boolean
  toggle(lineId: string): void
}

/** Remembers in this browser which groups of a project's lists show only their heading. */
export function useFoldedGroups(projectId: string): FoldedGroups {
  const key = `tracker.folded.${projectId}`
  const [ids, setIds] = useState<readonly string[]>(() => readStoredJson<readonly string[]>(key) ?? [])
  return {
    has: (lineId) => ids.includes(lineId),
    toggle(lineId) {
      const next = ids.includes(lineId) ? ids.filter((id) => id !== lineId) : [...ids, lineId]
      localStorage.setItem(key, JSON.stringify(next))
      setIds(next)
    },
  }
}

/** Leaves out the assignments of folded groups. */
export function unfoldedLines(lines: readonly Line[], folded: FoldedGroups): readonly Line[] {
  let isFolded = false
  return lines.filter((line) => {
    if ('row' in line) return !isFolded
    isFolded = folded.has(line.id)
    return true
  })
}
