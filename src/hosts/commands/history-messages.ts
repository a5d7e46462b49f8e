import { feedActions } from '../../features/changes/read-feed.ts'
import { pageSizeDefault, pageSizeMax } from '../../records/list-query.ts'
import { resourceNames } from '../../resources/all.ts'
import type { Message, MessageField } from './message.ts'
import { type CommandMessages, outcome } from './messages.ts'

type Shape = MessageField['shape']

const field = (number: number, name: string, shape: Shape, about: string): MessageField => ({
  name,
  number,
  shape,
  about,
})

const optional = (number: number, name: string, shape: Shape, about: string): MessageField => ({
  ...field(number, name, shape, about),
  isOptional: true,
})

const namesText = resourceNames.join(', ')

const change: Message = {
  name: 'Change',
  about: 'What happened to one row.',
  fields: [
    field(1, 'id', 'text', 'The same in the history, in the feed and in what webhooks send.'),
    field(2, 'at', 'moment', 'When it was written.'),
    field(3, 'resource', 'text', `Of which resource the row is: ${namesText}.`),
    field(4, 'rowId', 'uuid', 'Which row.'),
    field(5, 'action', 'text', `What happened to it: ${feedActions.join(', ')}.`),
    optional(
      6,
      'projectId',
      'uuid',
      'The project of the row after the change; absent for catalogs and accounts.',
    ),
    optional(7, 'callerId', 'uuid', 'The account that did it; absent for the program itself.'),
    optional(8, 'clientId', 'text', 'The client that its token was given to.'),
    optional(9, 'host', 'text', 'rest or commands; absent for the program itself.'),
    optional(10, 'sessionId', 'text', 'Told to administrators and to the account that did it.'),
    optional(11, 'requestId', 'text', 'Told to administrators and to the account that did it.'),
    optional(
      12,
      'before',
      'values',
      'The fields that changed, as they were, with the names and values of REST; absent for a new row.',
    ),
    optional(13, 'after', 'values', 'The same as they became; of a new row those with a value.'),
  ],
}

const changes: MessageField = { ...field(1, 'data', change, ''), isRepeated: true }

const historyPage: Message = {
  name: 'HistoryPage',
  about: 'One page of a history.',
  fields: [
    { ...changes, about: 'The newest first.' },
    optional(2, 'next', 'text', 'What before is for the next page; absent on the last.'),
  ],
}

const changePage: Message = {
  name: 'ChangePage',
  about: 'One page of the feed.',
  fields: [
    { ...changes, about: 'In the order in which they became visible.' },
    field(2, 'cursor', 'text', 'What after is for the next page; also when this one is empty.'),
    field(3, 'hasMore', 'flag', 'Whether it is worth asking again at once.'),
  ],
}

const after =
  'The cursor that was kept; now for what comes from now on; left out, from the oldest change that is kept.'

const filters: readonly MessageField[] = [
  optional(2, 'resource', 'text', `Only changes of these, separated by commas: ${namesText}.`),
  optional(3, 'action', 'text', `Only ${feedActions.join(', ')}; several separated by commas.`),
  optional(4, 'projectId', 'text', 'Only changes in this project.'),
]

const pageSizeOf = (byDefault: number): MessageField =>
  optional(
    5,
    'pageSize',
    'wholeNumber',
    `Changes on a page, 1 to ${pageSizeMax}; ${byDefault} when left out.`,
  )

const resultOf = (name: string, page: Message): Message => ({
  name: `${name}Result`,
  about: `The answer to ${name}Command.`,
  fields: [...outcome, optional(3, 'result', page, 'The page; absent when success is false.')],
})

export const readHistoryMessages: CommandMessages = {
  name: 'ReadHistory',
  request: {
    name: 'ReadHistoryCommand',
    about:
      'Who changed a row, or anything in a project, newest first. Anyone who sees the row now sees its history.',
    fields: [
      optional(1, 'resource', 'text', `Of which resource: ${namesText}. Required, or project_id.`),
      optional(2, 'id', 'text', 'Which row. Required, or project_id.'),
      optional(3, 'projectId', 'text', 'Instead of one row, everything in this project.'),
      optional(4, 'before', 'text', 'Only changes before the one with this id.'),
      pageSizeOf(pageSizeDefault),
    ],
  },
  result: resultOf('ReadHistory', historyPage),
}

export const readChangesMessages: CommandMessages = {
  name: 'ReadChanges',
  request: {
    name: 'ReadChangesCommand',
    about:
      'Every committed change that the caller may see, none left out and none twice, a page at a time. A cursor that is too old is OUT_OF_RANGE.',
    fields: [optional(1, 'after', 'text', after), ...filters, pageSizeOf(pageSizeMax)],
  },
  result: resultOf('ReadChanges', changePage),
}

export const followChangesMessages: CommandMessages = {
  name: 'FollowChanges',
  request: {
    name: 'FollowChangesCommand',
    about:
      'The same as a stream without an end: what there is, then each change as it is committed. Call again with the last cursor when it ends.',
    fields: [optional(1, 'after', 'text', after), ...filters],
  },
  result: {
    name: 'ChangeEvent',
    about: 'One change, or a sign of life, which comes after 15 seconds of silence.',
    fields: [
      optional(1, 'change', change, 'Absent in a sign of life.'),
      field(2, 'cursor', 'text', 'A stream that is opened with it as after goes on behind this event.'),
    ],
  },
}
