import type { Change } from '#tracker-client'
import type { MessageKey } from '../texts/text.ts'
import type { FieldChange } from './change-fields.ts'
import { linkResources } from './group-changes.ts'

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

/** Records that are “added” to existing ones, such as a label to an assignment. Others are “created”. */
const addedResources: ReadonlySet<string> = new Set([...linkResources, 'attachment', 'projectStage'])

const addedSentences: ActionSentences = { alone: 'added {what}', withTarget: 'added {what} to {target}' }

export const sentencesOf = ({ resource, action }: Change): ActionSentences =>
  action === 'create' && addedResources.has(resource) ? addedSentences : actionSentences[action]

/** Sentences by the `kindOf` a group, which may include the fields of an update. */
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

/** Sentences for an update of one field; a true or false value can have its own. */
const fieldSentences: Readonly<Record<string, MessageKey>> = {
  name: 'renamed {what} from “{before}” to “{after}”',
  description: 'changed the description of {what}',
  workflowId: 'moved {what} from {before} to {after}',
  userId: 'assigned {what} to {after}',
  'isUnassigned.true': 'unassigned {what}',
  'isUnscheduled.true': 'removed the dates of {what}',
  'isArchived.true': 'archived {what}',
  'isArchived.false': 'unarchived {what}',
}

/** Fields whose names fit into sentences such as “set the priority of …”. */
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

/** Returns the sentence for an update of this field alone, if there is one. */
export function fieldSentenceOf({ property, before, after, value }: FieldChange): MessageKey | undefined {
  const sentence = fieldSentences[`${property}.${value}`] ?? fieldSentences[property]
  if (sentence || !namedFields.has(property)) return sentence
  if (before === '') return 'set the {field} of {what} to {after}'
  return after === ''
    ? 'removed the {field} of {what}'
    : 'changed the {field} of {what} from {before} to {after}'
}
