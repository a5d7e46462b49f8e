import { changed } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { Row } from '../store/rows.ts'

/** By id, the version that a row must still have when it is locked; null for one that no version would satisfy. */
export type RequiredVersions = ReadonlyMap<string, string | null>

/** Every change gives a row another one. */
export const versionOf = ({ updatedAt, createdAt }: Row): string => String(updatedAt ?? createdAt)

/** Refuses when one of these locked rows has another version than required. */
export function requireVersions(resource: Resource, rows: readonly Row[], versions: RequiredVersions): void {
  for (const row of rows) {
    const version = versions.get(row.id)
    if (version !== undefined && version !== versionOf(row)) throw changed(resource.title)
  }
}
