import type { RecordOf } from '../api/api.ts'
import type { Services } from '../services/services.ts'
import { type MessageKey, t } from '../texts/text.ts'
import { joinWords, ranks } from '../ui/fuzzy.ts'
import { stepFor } from './assignment-steps.tsx'
import type { PaletteItem } from './command-palette.tsx'
import type { FoundItem } from './palette-items.tsx'
import { emptyWords, fieldWords, meansValue, type TypedValue, type ValueKind, verbs } from './typed-texts.ts'
import type { AssignmentField } from './use-shortcuts.ts'

type Assignment = RecordOf<'assignment'>

interface ValueCommand extends ValueKind {
  readonly name: MessageKey
}

const personCommand: ValueCommand = { field: 'person', name: 'Assign to {value}' }
const otherCommands: readonly (ValueCommand & { readonly isExtension: boolean })[] = [
  { field: 'stage', name: 'Move to {value}', isExtension: false },
  { field: 'priority', name: 'Priority: {value}', isExtension: true },
  { field: 'type', name: 'Type: {value}', isExtension: false, needsField: true },
  { field: 'labels', name: 'Add the label {value}', isExtension: true, needsField: true },
]

/** The ids by which the steps of the fields name no value. */
const emptyIds: Partial<Record<AssignmentField, string>> = {
  person: '',
  priority: 'priority-',
  start: 'day-',
  end: 'day-',
  hours: '0',
}

/** A command that sets a value. `value` is the name of the value, and `isPresent` is true for a label to remove. */
type Value = PaletteItem & { readonly value: string; readonly isPresent: boolean }

/** Returns the commands that a text may mean: those that assign to a person, and the others. */
export type SearchValues = (text: string) => {
  readonly people: readonly PaletteItem[]
  readonly others: readonly PaletteItem[]
}

/** Loads a command for each value. */
export async function loadValues(
  services: Services,
  row: Assignment,
  group: string,
  signal: AbortSignal,
): Promise<SearchValues> {
  const load = async (command: ValueCommand) => {
    const step = stepFor(services, command.field, [row])
    // Without a network, only the stages are found.
    const found = await step.find('', signal).catch(() => [])
    const values = found.map((item) => commandOf(command, item, group))
    return (text: string) => values.filter((value) => meansValue(text, command, value))
  }
  const commands = otherCommands.filter(
    ({ isExtension }) => services.configuration.extensions || !isExtension,
  )
  const [people, ...others] = await Promise.all([personCommand, ...commands].map(load))
  return (text) => ({ people: people?.(text) ?? [], others: others.flatMap((find) => find(text)) })
}

function commandOf({ field, name }: ValueCommand, item: PaletteItem, group: string): Value {
  const { isChecked: isPresent = false, ...line } = item
  const isEmpty = item.id === emptyIds[field]
  return {
    ...line,
    id: `${field} ${item.id}`,
    // “Unassigned” and “No priority” name the command, too.
    name: isEmpty ? item.name : t(isPresent ? 'Remove the label {value}' : name, { value: item.name }),
    value: item.name,
    isPresent,
    words: joinWords(fieldWords[field], item.words, verbs, isEmpty || isPresent ? emptyWords : ''),
    group,
  }
}

const typedNames = {
  start: 'Start: {value}',
  end: 'End: {value}',
  hours: 'Planned hours: {value}',
} as const satisfies Partial<Record<AssignmentField, MessageKey>>

/** Returns the command that sets a typed value. */
export async function findTypedValue(
  services: Services,
  { row, heading }: { readonly row: Assignment; readonly heading: string },
  { field, text }: TypedValue,
  signal: AbortSignal,
): Promise<readonly FoundItem[]> {
  const found = await stepFor(services, field, [row])
    .find(text, signal)
    .catch(() => [])
  const item = text === '' ? found.find(({ id }) => id === emptyIds[field]) : found[0]
  if (item === undefined) return []
  const name = item.id === 'day-' ? item.name : t(typedNames[field], { value: item.name })
  return [{ ...item, id: `${field} ${item.id}`, name, group: heading, matchRank: ranks.start, spans: [] }]
}
