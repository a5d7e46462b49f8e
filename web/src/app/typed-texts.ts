import { isAssignmentKey } from '../data/assignments.ts'
import { foldText } from '../texts/text.ts'
import { parseDay } from '../time/days.ts'
import { parseDuration } from '../time/hours.ts'
import { findMatches, isTyped, type WordsByLanguage } from '../ui/fuzzy.ts'
import type { AssignmentField } from './use-shortcuts.ts'

/** The beginning of a key may fit more projects than these. */
const keysMax = 3
/** Each key is a request, so only this many projects are searched for a number alone. */
const projectsMax = 12

/**
 * Returns the keys of assignments that a text may mean: a whole key, the beginning of the key of a project with a
 * number, or only a number, which assignments of several projects may have. `projectKeys` has the keys of the known
 * projects, those that matter most first.
 */
export function keysIn(text: string, projectKeys: readonly string[]): readonly string[] {
  const [, letters = '', number] = /^([a-z][a-z0-9]*?)?[\s-]*([1-9]\d{0,9})$/i.exec(text) ?? []
  if (number === undefined) return []
  const typed = letters.toUpperCase()
  const fitting = projectKeys.filter((key) => key.startsWith(typed))
  // An assignment is also found by a former key of its project.
  const former = isAssignmentKey(text) ? [typed] : []
  const keys = typed === '' ? fitting : [...former, ...fitting.toSorted((a, b) => a.length - b.length)]
  return [...new Set(keys)].slice(0, typed === '' ? projectsMax : keysMax).map((key) => `${key}-${number}`)
}

/** The commands that users may type before the name of an assignment, in all languages of the client. */
const wordsBeforeName = ['new', 'create', 'add']
  .flatMap((verb) => [`${verb} assignment `, `${verb} task `])
  .concat('nova tarefa ', 'criar tarefa ', 'adicionar tarefa ')

/** Returns the name that the user has typed after the command that creates an assignment. */
export function typedName(text: string): string | undefined {
  const command = wordsBeforeName.find((one) => foldText(text).startsWith(one))
  return command && text.slice(command.length).trim()
}

/** The words that name a field, alone or with a value. */
export const fieldWords: Readonly<Record<AssignmentField, WordsByLanguage>> = {
  stage: { en: 'move status state stage column workflow', pt: 'mover etapa situação estado coluna fluxo' },
  priority: {
    en: 'priority prioritize prioritise urgent important',
    pt: 'prioridade priorizar urgente importante',
  },
  person: { en: 'assign give responsible owner assignee', pt: 'atribuir responsável dono' },
  labels: { en: 'add create new label tag category', pt: 'adicionar criar etiqueta marcador categoria' },
  type: { en: 'type kind category', pt: 'tipo categoria' },
  start: { en: 'start begin starts date day', pt: 'início começo começa data' },
  end: { en: 'end due date deadline day ends until by', pt: 'fim prazo data entrega vencimento termina até' },
  hours: {
    en: 'hours planned plan estimate effort time',
    pt: 'horas planejadas planejado estimativa esforço tempo',
  },
}

/** Users may type these together with the name of a field. */
export const verbs = 'set change to definir mudar para'
/** Each of these means that a field becomes empty. */
export const emptyWords = 'none no without clear remove nenhum nenhuma sem limpar remover'

const setOf = (words: string): ReadonlySet<string> => new Set(foldText(words).split(' '))
const fillers = setOf([verbs, 'the on for is in o a as em de'].join(' '))
const empty = setOf(emptyWords)

export interface ValueKind {
  readonly field: AssignmentField
  /** True if a value alone, such as a label, is rather a part of the name of an assignment. */
  readonly needsField?: boolean
}

interface ListedValue {
  /** The name of the value. */
  readonly value: string
  readonly isCurrent?: boolean
  /** True for a label to remove. */
  readonly isPresent: boolean
}

/** Returns whether a text means a value of a list, rather than its field alone or the name of an assignment. */
export function meansValue(text: string, { field, needsField }: ValueKind, listed: ListedValue): boolean {
  const { en, pt } = fieldWords[field]
  const names = `${en} ${pt}`
  const words = foldText(text).split(/\s+/)
  const hasField = words.some((word) => foldText(` ${names}`).includes(` ${word}`))
  const isWithin = (name: string) => findMatches([{ name }], text).some(isTyped)
  // “label x” never removes a label, but “no label x” does.
  if (listed.isPresent) return words.some((word) => empty.has(word))
  if (listed.isCurrent && !hasField) return false
  if (isWithin(listed.value)) return hasField || !needsField
  // “assign” means the step in which the user chooses a person, and not the first person.
  return !isWithin(`${names} ${verbs} no remove clear`)
}

const typedFields = ['end', 'start', 'hours'] as const

/** A value that is typed rather than chosen. */
export interface TypedValue {
  readonly field: (typeof typedFields)[number]
  /** The text of the value, or empty for none. */
  readonly text: string
  /** False for a value without the name of its field, which may as well be a part of a name. */
  readonly isNamed: boolean
}

/**
 * Returns the day or the hours that a text sets, such as “due friday”, “planned 3h” or “no end”. Without the name of
 * a field, a day is an end and hours are planned, as in the name of a new assignment.
 */
export function typedValueIn(text: string): TypedValue | undefined {
  const words = foldText(text.trim()).split(/[:=]?\s+/)
  for (const field of typedFields) {
    const value = valueAfterName(words, field)
    if (value !== undefined) return { field, text: value, isNamed: true }
  }
  const typed = words.join(' ')
  if (/^\d+([.,]\d+)?(h(\d{1,2})?|min)$/.test(typed)) return { field: 'hours', text: typed, isNamed: false }
  // Numbers are rather parts of a name or a key.
  if (!/[a-z]|^\d{4}-/.test(typed) || parseDay(typed) === undefined) return undefined
  return { field: 'end', text: typed, isNamed: false }
}

/** Returns the value that stands after the name of a field, or an empty text if the field is to be empty. */
function valueAfterName(words: readonly string[], field: TypedValue['field']): string | undefined {
  const { en, pt } = fieldWords[field]
  const names = setOf(`${en} ${pt}`)
  const isValue = field === 'hours' ? parseDuration : parseDay
  const isNameOf = (some: readonly string[]) =>
    some.some((word) => names.has(word)) && some.every((word) => names.has(word) || fillers.has(word))
  const [first = '', ...others] = words
  if (empty.has(first) && isNameOf(others)) return ''
  for (let count = 1; count < words.length; count += 1) {
    const value = words.slice(count).join(' ')
    if (!isNameOf(words.slice(0, count))) continue
    if (empty.has(value)) return ''
    if (isValue(value) !== undefined) return value
  }
  return undefined
}
