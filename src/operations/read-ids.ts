import { isMissing } from '../model/field-kinds.ts'
import { readObject } from '../model/read-object.ts'
import { collectViolations } from '../model/violations.ts'
import { idsMax } from './limits.ts'
import { readUuids } from './read-uuids.ts'

/** Reads the ids of a batch. Removal ignores duplicates, restore refuses them. */
export function readIds(body: unknown, duplicates: 'ignored' | 'refused'): readonly string[] {
  const { ids } = readObject(body)
  const violations = collectViolations()
  const given: readonly unknown[] = Array.isArray(ids) ? ids : []
  const { distinct, areAllUuids } = readUuids(given)
  if (isMissing(ids)) violations.add('ids', 'Ids is required.')
  else if (!Array.isArray(ids)) violations.add('ids', 'Ids must be an array of UUIDs.')
  else if (!areAllUuids) violations.add('ids', 'Ids must contain UUIDs only.')
  else if (distinct.length < 1 || distinct.length > idsMax)
    violations.add('ids', `Ids must contain 1 to ${idsMax} UUIDs.`)
  else if (duplicates === 'refused' && distinct.length < given.length)
    violations.add('ids', 'Ids must be distinct.')
  violations.refuseIfAny()
  return distinct
}
