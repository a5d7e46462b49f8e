import { changed } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { Condition } from '../store/conditional-write.ts'
import { isOtherVersion, type Row } from '../store/rows.ts'
import { raw } from '../store/sql.ts'

/** By id, the version that a row must still have when it is locked; null for one that no version would satisfy. */
export type RequiredVersions = ReadonlyMap<string, string | null>

/** Every change gives a row another version. */
export const versionOf = ({ updatedAt, createdAt }: Row): string => String(updatedAt ?? createdAt)

/** Refuses when one of these locked rows has another version than required. */
export function requireVersions(resource: Resource, rows: readonly Row[], versions: RequiredVersions): void {
  for (const row of rows) {
    const version = versions.get(row.id)
    if (version !== undefined && version !== versionOf(row)) throw changed(resource.title)
  }
}

/** The same of the one locked row that is called `before`. */
export function versionConditions(resource: Resource, id: string, versions: RequiredVersions): Condition[] {
  const version = versions.get(id)
  if (version === undefined) return []
  const refusedIf = version === null ? raw('true') : isOtherVersion(version)
  return [{ refusedIf, refusal: () => changed(resource.title) }]
}
