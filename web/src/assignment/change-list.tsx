import { type ComponentChildren, Fragment } from 'preact'
import type { Change } from '#tracker-client'
import { assignmentPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { nounOf } from '../texts/declared-names.ts'
import { type MessageKey, t, tx } from '../texts/text.ts'
import { dateFormat, dateOf, dayOf, formatDay, formatTime } from '../time/days.ts'
import { formatHours, sumHours } from '../time/hours.ts'
import { Icon } from '../ui/icon.tsx'
import { PersonAvatar } from '../ui/people.tsx'
import { Ago } from '../ui/relative-time.tsx'
import { FieldChip, LinkChip, linkedRecordOf, ValueChip } from './change-chips.tsx'
import {
  changeIconOf,
  type FieldChange,
  fieldChangesOf,
  fieldSentenceOf,
  formatFieldValue,
  recordSentences,
  sentencesOf,
} from './change-texts.ts'
import {
  type ChangeGroup,
  combineUpdates,
  ticksIn,
  valuesOfCreated,
  withoutCancelled,
} from './group-changes.ts'
import { type ChangeNames, keyProperty, useChangeNames } from './use-history.ts'

/** The facts that all rows of a list share. */
export interface ListContext extends ChangeNames {
  readonly created: ReturnType<typeof valuesOfCreated>
  /** The assignment that the list is about, if any. Its name is not repeated in the rows. */
  readonly assignmentId: string | undefined
}

/** Returns the context for the rows of these changes, or undefined until the names are loaded. */
export function useChangeContext(changes: readonly Change[], assignmentId?: string): ListContext | undefined {
  const names = useChangeNames(changes)
  return names && { ...names, created: valuesOfCreated(changes), assignmentId }
}

interface ChangeRowProps {
  readonly group: ChangeGroup
  readonly context: ListContext
  /** Shows the time of the day, because the day is in the heading of the list. */
  readonly showsTime?: boolean
  /** The change of the line above. A line of the same person does not repeat the name. */
  readonly above?: Change | undefined
}

/** Shows changes that belong together as a sentence, followed by the values that it does not name. */
export function ChangeRow({ group, context, showsTime = false, above }: ChangeRowProps) {
  const description = describeGroup(group, context)
  if (description === undefined) return null
  const { sentence, chips, text } = description
  return (
    <ChangeLine group={group} showsTime={showsTime} above={above}>
      {sentence} <span class="change-chips">{chips}</span>
      {text && (
        <span class={`change-text ${isComment(group) ? '' : 'quiet-text'}`} dir="auto">
          {text}
        </span>
      )}
    </ChangeLine>
  )
}

const isComment = ([{ resource }]: ChangeGroup): boolean => resource === 'comment'

interface ChangeLineProps extends Pick<ChangeRowProps, 'showsTime' | 'above'> {
  readonly group: ChangeGroup
  /** The sentence after the name of the person. */
  readonly children: ComponentChildren
}

/**
 * A line of a history. It has an avatar, the author, the change and the time. Further lines of one person have an
 * icon, and begin with the verb.
 */
export function ChangeLine({ group, showsTime, above, children }: ChangeLineProps) {
  const { people } = useServices()
  const [{ callerId, at }] = group
  const isSamePerson = above?.callerId === callerId
  const kind = isComment(group) ? 'said' : ''
  return (
    <li class={`row change ${kind} ${isSamePerson ? 'same-person' : ''}`} aria-live="off">
      {isSamePerson ? <Icon name={changeIconOf(group)} /> : <PersonAvatar id={callerId ?? ''} isDecorative />}
      <span class="row-text">
        <b class={isSamePerson ? 'visually-hidden' : ''} dir="auto">
          {callerId === null ? t('The program') : people.nameOf(callerId)}
        </b>{' '}
        {children}
      </span>
      {showsTime ? (
        <time class="quiet-text" dateTime={at}>
          {formatTime(at)}
        </time>
      ) : (
        <Ago class="quiet-text" timestamp={at} />
      )}
    </li>
  )
}

interface Description {
  readonly sentence: ComponentChildren
  /** The values that the sentence does not name. */
  readonly chips?: ComponentChildren
  /** A long text after the change. The text before it is left out, because both usually begin alike. */
  readonly text?: string | undefined
}

/** Returns undefined if no change of the group means anything to users. */
export function describeGroup(group: ChangeGroup, context: ListContext): Description | undefined {
  const [newest, ...older] = withoutCancelled(group)
  if (newest === undefined) return undefined
  if (older.some(({ resource, action }) => resource !== newest.resource || action !== newest.action))
    return describeParts([newest, ...older], context)
  const recordSentence = recordSentences[`${newest.resource}.${newest.action}`]
  if (recordSentence) return describeRecord([newest, ...older], recordSentence, context)
  return newest.action === 'update'
    ? describeUpdate([newest, ...older], context)
    : describeAction([newest, ...older], context)
}

/** Hours that were recorded together are shown as their sum, with their days. */
function describeRecord(group: ChangeGroup, sentence: MessageKey, context: ListContext): Description {
  const fields = group.toReversed().flatMap((change) => fieldChangesOf(change, context.nameOf))
  const hours = fields.flatMap(({ property, value }) =>
    property === 'amountHours' ? { amountHours: Number(value) } : [],
  )
  return {
    sentence: tx(sentence, {
      what: ofAssignment(group[0], context),
      hours: <Value text={formatHours(sumHours(hours))} />,
    }),
    chips: daysOf(group).map((text) => (
      <ValueChip key={text} property="keepDate" value={undefined} text={text} names={context} />
    )),
    text: fields.find(({ isText }) => isText)?.after,
  }
}

const daysMax = 3

/** Returns the days for which hours were recorded, as texts. Many days are shown as a period. */
function daysOf(group: ChangeGroup): readonly string[] {
  const days = group.flatMap(({ after }) =>
    typeof after?.keepDate === 'string' ? dayOf(after.keepDate) : [],
  )
  const unique = [...new Set(days)].sort()
  const [first = '', last = ''] = [unique.at(0), unique.at(-1)]
  return unique.length > daysMax
    ? [dateFormat('short').formatRange(dateOf(first), dateOf(last))]
    : unique.map(formatDay)
}

/** Several updates of one record are shown as one. */
function describeUpdate(group: ChangeGroup, context: ListContext): Description | undefined {
  const change = combineUpdates(group)
  const fields = fieldChangesOf(change, context.nameOf)
  const [field] = fields
  const what = nameSubjects([change], context)
  if (field === undefined)
    return Object.hasOwn(change.after ?? {}, 'rank')
      ? { sentence: tx('moved {what} in the order', { what }) }
      : undefined
  const sentence = fields.length === 1 ? fieldSentenceOf(change.resource, field) : undefined
  if (sentence === undefined) return describeAction([change], context, fields)
  if (field.isText) return describeText(change, field, { sentence, what, nameOf: context.nameOf })
  const { property, name, before, after, value } = field
  const parts = {
    what,
    field: name.toLowerCase(),
    before: property === 'name' ? <Value text={before} /> : <bdi>{before}</bdi>,
    after:
      property === 'name' ? (
        <Value text={after} />
      ) : (
        <ValueChip property={property} value={value} text={after} names={context} />
      ),
  }
  return { sentence: tx(sentence, parts) }
}

interface TextContext extends Pick<ListContext, 'nameOf'> {
  readonly sentence: MessageKey
  readonly what: ComponentChildren
}

/** A text is repeated, unless only its tasks were ticked or cleared. The sentence names a single task. */
function describeText(
  { before }: Change,
  { property, after, value }: FieldChange,
  { sentence, what, nameOf }: TextContext,
): Description {
  const [tick, ...others] = ticksIn(before?.[property], value)
  if (tick === undefined) return { sentence: tx(sentence, { what }), text: after }
  if (others.length > 0) return { sentence: tx(sentence, { what }) }
  const task = <Value text={formatFieldValue(property, tick.text, nameOf)} />
  return {
    sentence: tx(tick.isDone ? 'ticked “{task}” in {what}' : 'cleared “{task}” in {what}', { task, what }),
  }
}

function describeAction(
  group: ChangeGroup,
  context: ListContext,
  fields: readonly FieldChange[] = group.flatMap((change) => fieldChangesOf(change, context.nameOf)),
): Description {
  // Links are named in the order in which they were added.
  const subjects = group.toReversed()
  const target = targetOf(subjects, context)
  const sentences = sentencesOf(group[0])
  const what = nameSubjects(subjects, context, target === undefined)
  return {
    sentence: target ? tx(sentences.withTarget, { what, target }) : tx(sentences.alone, { what }),
    chips: fields.map((field) => <FieldChip key={field.property} field={field} names={context} />),
  }
}

/**
 * Describes different changes to one assignment. The sentence says created or changed, and chips show values.
 */
function describeParts(group: ChangeGroup, context: ListContext): Description | undefined {
  const ofAssignmentItself = group.filter(({ resource }) => resource === 'assignment')
  const creation = ofAssignmentItself.find(({ action }) => action === 'create')
  const [newest, ...older] = ofAssignmentItself.filter((change) => change !== creation)
  const fields = newest ? fieldChangesOf(combineUpdates([newest, ...older]), context.nameOf) : []
  const links = group.filter(({ resource }) => resource !== 'assignment').toReversed()
  if (creation === undefined && fields.length + links.length === 0) return undefined
  const subject = creation ?? newest
  const what = subject ? nameSubjects([subject], context) : ofAssignment(group[0], context)
  return {
    sentence: tx(creation ? 'created {what}' : 'changed {what}', { what }),
    chips: [
      ...fields.map((field) => <FieldChip key={field.property} field={field} names={context} />),
      ...links.map((change) => <LinkPart key={change.id} change={change} context={context} />),
    ],
  }
}

/** A record that was added to or removed from an assignment, as a part of several changes. */
function LinkPart({ change, context }: { readonly change: Change; readonly context: ListContext }) {
  const linked = linkedRecordOf(change, valuesOf(change, context))
  if (linked) return <LinkChip change={change} linked={linked} showsKind names={context} />
  return (
    <span class="change-chip">
      <Subjects changes={[change]} context={context} isLinked={false} />
    </span>
  )
}

const Value = ({ text }: { readonly text: string }) => <b dir="auto">{text}</b>

interface AssignmentNameProps {
  readonly id: string
  readonly projectId: string | null | undefined
  readonly context: ListContext
  readonly isRemoved?: boolean
}

/** Shows the key and the name of an assignment, with a link unless it was removed. */
function AssignmentName({ id, projectId, context: { nameOf }, isRemoved }: AssignmentNameProps) {
  const text = (
    <>
      <span class="change-key">{nameOf(keyProperty, id)}</span> <bdi>{nameOf('assignmentId', id)}</bdi>
    </>
  )
  return projectId && !isRemoved ? <a href={assignmentPath(projectId, id)}>{text}</a> : <b>{text}</b>
}

/** Names the records. Assignments have keys. Other records are named by their kind and their names. */
function nameSubjects(changes: readonly Change[], context: ListContext, isLinked = true): ComponentChildren {
  const { resource = '', rowId = '', projectId, action } = changes[0] ?? {}
  if (rowId === context.assignmentId) return t('this assignment')
  if (resource === 'assignment' && context.nameOf('assignmentId', rowId) !== undefined)
    return (
      <AssignmentName id={rowId} projectId={projectId} context={context} isRemoved={action === 'remove'} />
    )
  return <Subjects changes={changes} context={context} isLinked={isLinked} />
}

interface SubjectsProps {
  readonly changes: readonly Change[]
  readonly context: ListContext
  /** False if the assignment is named and linked after the subjects. */
  readonly isLinked: boolean
}

/** Names the kind of the records, and then each record, with a link if possible. */
function Subjects({ changes, context, isLinked }: SubjectsProps) {
  const noun = nounOf(changes[0]?.resource ?? '')
  const named = changes.flatMap((change) => {
    const name = subjectOf(change, context)
    return name === undefined
      ? []
      : [{ change, name, linked: linkedRecordOf(change, valuesOf(change, context)) }]
  })
  if (named.length === 0) return <>{noun}</>
  if (named.every(({ linked }) => linked))
    return (
      <>
        {noun}{' '}
        {named.map(
          ({ change, linked }) =>
            linked && (
              <LinkChip key={change.id} change={change} linked={linked} showsKind={false} names={context} />
            ),
        )}
      </>
    )
  return (
    <>
      {named.map(({ change, name }, index) => (
        <Fragment key={change.id}>
          {index > 0 && ', '}
          <Subject
            change={change}
            assignmentId={context.assignmentId}
            isLinked={isLinked}
            text={index === 0 ? t('{what} “{name}”', { what: noun, name }) : `“${name}”`}
          />
        </Fragment>
      ))}
    </>
  )
}

interface SubjectProps {
  readonly change: Change
  readonly text: string
  readonly assignmentId: string | undefined
  readonly isLinked: boolean
}

/** Links a subject to its assignment, unless the list is about that assignment or the subject was removed. */
function Subject({ change, text, assignmentId, isLinked }: SubjectProps) {
  const { projectId, action, after } = change
  const linkedId = isLinked ? after?.assignmentId : undefined
  if (typeof linkedId !== 'string' || linkedId === assignmentId || projectId === null || action === 'remove')
    return <bdi>{text}</bdi>
  return (
    <a href={assignmentPath(projectId, linkedId)} dir="auto">
      {text}
    </a>
  )
}

/** Names the assignment that a comment or recorded time belongs to. */
function ofAssignment(change: Change, context: ListContext): ComponentChildren {
  const { projectId } = change
  const id = valuesOf(change, context).assignmentId
  if (id === context.assignmentId) return t('this assignment')
  if (typeof id !== 'string' || context.nameOf('assignmentId', id) === undefined) return t('an assignment')
  return <AssignmentName id={id} projectId={projectId} context={context} />
}

/**
 * Names the assignment that all subjects belong to. Returns undefined if the list is about that assignment,
 * if its name is unknown, or if the names of the subjects already contain it.
 */
function targetOf(subjects: readonly Change[], context: ListContext): ComponentChildren | undefined {
  const ids = new Set(
    subjects.map((change) =>
      isNamedByAssignment(change.resource) ? undefined : valuesOf(change, context).assignmentId,
    ),
  )
  const [id] = ids
  if (ids.size !== 1 || typeof id !== 'string' || id === context.assignmentId) return undefined
  if (context.nameOf('assignmentId', id) === undefined) return undefined
  return <AssignmentName id={id} projectId={subjects[0]?.projectId} context={context} />
}

const valuesOf = (
  { rowId, before, after }: Change,
  { created }: ListContext,
): NonNullable<Change['after']> => ({ ...created.get(rowId), ...before, ...after })

/** Recorded hours are named by their assignment. So are comments, but these have sentences of their own. */
const isNamedByAssignment = (resource: string) => resource === 'appointment'

/** A record without a name takes the name of its first related record in this order. */
const namingProperties = ['userId', 'impedimentId', 'labelId', 'blockedById', 'assignmentId'] as const

function subjectOf(change: Change, context: ListContext): string | undefined {
  const { resource, rowId, before, after } = change
  const { nameOf, assignmentId } = context
  if (rowId === assignmentId) return undefined
  const ownName = nameOf(`${resource}Id`, rowId) ?? after?.name ?? before?.name
  if (typeof ownName === 'string') return ownName
  const values = valuesOf(change, context)
  const properties = isNamedByAssignment(resource) ? (['assignmentId'] as const) : namingProperties
  const name = properties.find((property) => typeof values[property] === 'string')
  if (name === undefined || values[name] === assignmentId) return undefined
  return nameOf(name, String(values[name]))
}
