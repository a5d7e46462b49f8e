import { useMemo } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { readHours } from '../forms/hours.ts'
import { useServices } from '../services/services.ts'
import { endMomentOf, momentOf } from '../time/days.ts'
import { type AssignmentValues, fieldsOf, valuesOf } from './assignment-values.ts'
import { type InPlace, useInPlace } from './use-in-place.ts'

type Assignment = RecordOf<'assignment'>
export type EditableName = keyof AssignmentValues

/** One field of an assignment, saved by itself: the others stay as they are now, no matter who changed them. */
export function useEdit(
  assignment: Assignment,
  name: EditableName,
  onSaved: (row: Assignment) => void,
): InPlace {
  const { api } = useServices()
  const stored = useMemo(() => valuesOf(assignment)[name], [assignment, name])
  return useInPlace({
    draft: `${name}-of-${assignment.id}`,
    stored,
    async save(text, base) {
      const now = await api.get('assignment', assignment.id)
      const theirs = valuesOf(now)[name]
      if (theirs !== base && theirs !== text) return theirs
      const changed = { ...fieldsOf(now), ...bodyOfField(name, text, now) }
      await api.update('assignment', changed)
      onSaved(await api.get('assignment', assignment.id))
      return undefined
    },
  })
}

function bodyOfField(name: EditableName, text: string, stored: Assignment): Partial<Assignment> {
  if (name === 'amountHours') return { amountHours: readHours(text, name) }
  if (name === 'startDate') return movedStart(text, stored)
  if (name === 'endDate') return { endDate: endMomentOf(text, stored.endDate, stored.startDate) }
  if (name === 'description') return { description: text.trim() === '' ? null : text }
  return { [name]: text }
}

/** A start after the end moves the end too. */
function movedStart(day: string, { startDate, endDate }: Assignment): Partial<Assignment> {
  const start = momentOf(day, startDate)
  return start > endDate ? { startDate: start, endDate: start } : { startDate: start }
}
