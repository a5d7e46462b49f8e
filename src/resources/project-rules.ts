import type { Caller } from '../model/caller.ts'
import { stale } from '../model/problem.ts'
import type { Condition } from '../store/conditional-write.ts'
import { newId } from '../store/new-id.ts'
import { type AlsoInserted, isOtherVersion, type Values } from '../store/rows.ts'
import { userProject } from './user-project.ts'

/** Anyone who creates a project becomes its first member; without this they could not see it. */
export const creatorsMembership = (caller: Caller, id: string): AlsoInserted[] => [
  { table: userProject, values: { id: newId(), userId: caller.id, projectId: id } },
]

/** The version is the moment of the last change. Without `expectedVersion` the last write wins. */
export const sameVersion = ({ expectedVersion }: Values): Condition[] =>
  expectedVersion !== undefined
    ? [
        {
          refusedIf: isOtherVersion(expectedVersion),
          refusal: () => stale('Project'),
        },
      ]
    : []
