import type { Change } from '#tracker-client'
import { placeholders } from '../data/assignments.ts'
import { capitalize, nounOf } from '../texts/declared-names.ts'
import { type MessageKey, shorten, t } from '../texts/text.ts'
import { dayOf, formatDay, formatTimestamp } from '../time/days.ts'
import { formatHours } from '../time/hours.ts'
import type { IconName } from '../ui/icon.tsx'
import { plainText } from '../ui/markdown-text.ts'
import { mentionedIn, showMentions } from '../ui/mention-text.ts'
import { type ChangeGroup, linkResources } from './group-changes.ts'
import { type LabelColor, labelColors } from './labels.tsx'
import { priorityName } from './priority.ts'
import type { NameOf } from './use-history.ts'

/** A changed field as users know it. */
export interface FieldChange {
  readonly property: string
  readonly name: string
  /** The earlier value, as text. Empty if there was none. */
  readonly before: string
  readonly after: string
  /** The new value as it is stored. */
  readonly value: unknown
  /** True if the value is written in Markdown. */
  readonly isText: boolean
}

/** Fields that repeat the action or the subject, or mean nothing to users. */
const hiddenFields: ReadonlySet<string> = new Set([
  'active',
  'deletedAt',
  'createdAt',
  'updatedAt',
  'id',
  'number',
  'rank',
])

/** The fields that are shown for a new record, in addition to its name. */
const fieldsOfNewRecords: ReadonlySet<string> = new Set([
  'comment.text',
  'appointment.amountHours',
  'appointment.keepDate',
])

export function fieldChangesOf(change: Change, nameOf: NameOf): readonly FieldChange[] {
  const { resource, action } = change
  const { before, after } = withoutPlaceholders(change)
  return (
    Object.keys(after ?? {})
      .filter(
        (property) =>
          !hiddenFields.has(property) &&
          (action !== 'create' || fieldsOfNewRecords.has(`${resource}.${property}`)),
      )
      .map((property) => ({
        property,
        name: capitalize(nounOf(property, resource)),
        before: formatFieldValue(property, before?.[property], nameOf),
        after: formatFieldValue(property, after?.[property], nameOf),
        value: after?.[property],
        isText: markdownFields.has(property),
      }))
      // A day may be stored with another time, which no screen shows.
      .filter(({ property, before, after }) =>
        property.endsWith('Date') ? before !== after : before !== '' || after !== '',
      )
  )
}

/** Leaves out earlier values that were placeholders, and their flag if new values have replaced them. */
function withoutPlaceholders({ before, after }: Change): Pick<Change, 'before' | 'after'> {
  const shown = { before: { ...before }, after: { ...after } }
  for (const [flag, names] of Object.entries(placeholders)) {
    if (before?.[flag] !== true) continue
    for (const name of names) delete shown.before[name]
    if (names.some((name) => name in shown.after)) delete shown.after[flag]
  }
  return shown
}

const charactersMax = 120

const markdownFields: ReadonlySet<string> = new Set(['description', 'text'])

const formatBoolean = (value: unknown) => (value ? t('yes') : t('no'))

/** Formats values whose stored form is not what screens show. */
const formats: Readonly<Record<string, (value: unknown) => string>> = {
  priority: (value) => priorityName(Number(value)),
  color: (value) => t(labelColors[value as LabelColor]),
  amountHours: (value) => formatHours(Number(value)),
  isArchived: formatBoolean,
  isUnscheduled: (value) => (value ? t('no dates') : t('scheduled')),
  isUnassigned: (value) => (value ? t('unassigned') : t('assigned')),
  isDone: formatBoolean,
}

export function formatFieldValue(name: string, value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined) return ''
  const format = formats[name]
  if (format) return format(value)
  if (name.endsWith('Id')) return nameOf(name, String(value)) ?? t('another one')
  if (name.endsWith('Date')) return formatDay(dayOf(String(value)))
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return formatTimestamp(value)
  const text = markdownFields.has(name) ? plainText(String(value)) : String(value)
  const mentioned = mentionedIn(text, (id) => nameOf('userId', id))
  return shorten(showMentions(text, mentioned), charactersMax)
}

interface ActionSentences {
  readonly alone: MessageKey
  /** Also names the assignment to which the record belongs. */
  readonly withTarget: MessageKey
}

const actionSentences: Readonly<Record<Change['action'], ActionSentences>> = {
  create: { alone: 'created {what}', withTarget: 'created {what} in {target}' },
  update: { alone: 'changed {what}', withTarget: 'changed {what} of {target}' },
  remove: { alone: 'removed {what}', withTarget: 'removed {what} from {target}' },
  restore: { alone: 'restored {what}', withTarget: 'restored {what} in {target}' },
}

/** Records that are “added”, such as a label on an assignment. Others are “created”. */
const addedResources: ReadonlySet<string> = new Set([...linkResources, 'attachment', 'projectStage'])

const addedSentences: ActionSentences = { alone: 'added {what}', withTarget: 'added {what} to {target}' }

export const sentencesOf = ({ resource, action }: Change): ActionSentences =>
  action === 'create' && addedResources.has(resource) ? addedSentences : actionSentences[action]

const changeIcons: Readonly<Record<string, IconName>> = {
  appointment: 'clock',
  assignmentDependency: 'link',
  assignmentImpediment: 'warning',
  assignmentLabel: 'tag',
  attachment: 'file',
  comment: 'comment',
  label: 'tag',
  userAssignment: 'person',
  userProject: 'people',
}

const actionIcons: Readonly<Record<Change['action'], IconName>> = {
  create: 'plus',
  update: 'edit',
  remove: 'trash',
  restore: 'plus',
}

/** Returns the icon of a line of changes: that of their kind of record, or else of their action. */
export function changeIconOf([newest, ...older]: ChangeGroup): IconName {
  const { resource, action } = newest
  if (older.some((change) => change.resource === 'assignment' && change.action === 'create')) return 'plus'
  if (older.some((change) => change.resource !== resource)) return 'edit'
  return (action === 'remove' ? undefined : changeIcons[resource]) ?? actionIcons[action]
}

/** Sentences by the kind of a group (`kindOf`), which may include the fields of an update. */
const runSentences: Readonly<Record<string, MessageKey>> = {
  'assignment.create': 'created {count} assignments',
  'assignment.remove': 'removed {count} assignments',
  'assignment.update': 'changed {count} assignments',
  'assignment.update workflowId': 'moved {count} assignments',
  'assignmentLabel.create': 'added labels to {count} assignments',
  'userAssignment.create': 'added participants to {count} assignments',
  'assignmentDependency.create': 'added dependencies to {count} assignments',
  'appointment.create': 'recorded {hours} on {count} assignments',
  'label.create': 'created {count} labels',
}

/** Returns the sentence about the same change of several records, if there is one. */
export const runSentenceOf = (kind: string): MessageKey | undefined =>
  runSentences[kind] ?? runSentences[kind.split(' ', 1)[0] ?? '']

/** Sentences about records without names, in which `{what}` is the assignment. */
export const recordSentences: Readonly<Record<string, MessageKey>> = {
  'comment.create': 'commented on {what}',
  'comment.update': 'changed a comment on {what}',
  'comment.remove': 'removed a comment on {what}',
  'comment.restore': 'restored a comment on {what}',
  'appointment.create': 'recorded {hours} on {what}',
}

/** Sentences for an update of one field. A field of one resource, or a true or false value, can have its own. */
const fieldSentences: Readonly<Record<string, MessageKey>> = {
  name: 'renamed {what} from “{before}” to “{after}”',
  description: 'changed the description of {what}',
  workflowId: 'moved {what} from {before} to {after}',
  'appointment.amountHours': 'changed {what} from {before} to {after}',
  userId: 'assigned {what} to {after}',
  'isUnassigned.true': 'unassigned {what}',
  'isUnscheduled.true': 'removed the dates of {what}',
  'isArchived.true': 'archived {what}',
  'isArchived.false': 'unarchived {what}',
}

/** The names of these fields fit into sentences such as “set the priority of …”. */
const namedFields: ReadonlySet<string> = new Set([
  'amountHours',
  'assignmentTypeId',
  'color',
  'endDate',
  'keepDate',
  'key',
  'priority',
  'startDate',
])

/** Returns the sentence for an update of this field of a resource alone, if there is one. */
export function fieldSentenceOf(
  resource: string,
  { property, before, after, value }: FieldChange,
): MessageKey | undefined {
  const sentence =
    fieldSentences[`${resource}.${property}`] ??
    fieldSentences[`${property}.${value}`] ??
    fieldSentences[property]
  if (sentence || !namedFields.has(property)) return sentence
  if (before === '') return 'set the {field} of {what} to {after}'
  return after === ''
    ? 'removed the {field} of {what}'
    : 'changed the {field} of {what} from {before} to {after}'
}
