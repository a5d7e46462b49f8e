import { uuid } from '../model/field-kinds.ts'

export interface Uuids {
  readonly distinct: readonly string[]
  readonly areAllUuids: boolean
}

/** Keeps nothing of what is no UUID: a compressed message of 16 KB can hold four million of them. */
export function readUuids(items: readonly unknown[]): Uuids {
  const distinct = new Set<string>()
  let areAllUuids = true
  for (const item of items) {
    const reading = uuid.read(item, 'Ids')
    if ('value' in reading) distinct.add(reading.value)
    else areAllUuids = false
  }
  return { distinct: [...distinct], areAllUuids }
}
