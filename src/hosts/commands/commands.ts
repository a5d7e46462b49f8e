import { requireRole } from '../../access/require-write.ts'
import type { Caller } from '../../model/caller.ts'
import { invalid } from '../../model/problem.ts'
import { create } from '../../operations/create.ts'
import { get } from '../../operations/get.ts'
import { list } from '../../operations/list.ts'
import { readListQuery } from '../../operations/read-list-query.ts'
import { remove } from '../../operations/remove.ts'
import { showRecord } from '../../operations/show-record.ts'
import type { Tracker } from '../../operations/tracker.ts'
import { update } from '../../operations/update.ts'
import { resources } from '../../resources/all.ts'
import type { Resource } from '../../resources/define-resource.ts'
import type { Content, Message } from './message.ts'
import { messagesOf } from './messages.ts'

export interface Command {
  /** Project, in the full name of a .NET command. */
  readonly entity: string
  /** CreateProject: its message adds `Command`. */
  readonly name: string
  readonly request: Message
  readonly result: Message
  /** What the result says beside its success. */
  run(tracker: Tracker, caller: Caller, request: Content): Promise<Content>
}

export const commands = (): Command[] => resources.flatMap(commandsOf)

/** The five commands of one resource; none of them knows which. */
function commandsOf(resource: Resource): Command[] {
  const { title: entity, pluralTitle, name } = resource
  const messages = messagesOf(resource)
  return [
    {
      entity,
      name: `Create${entity}`,
      request: messages.create,
      result: messages.createResult,
      async run(tracker, caller, request) {
        return { [name]: showRecord(resource, await create(tracker, resource, caller, request)) }
      },
    },
    {
      entity,
      name: `Get${entity}ById`,
      request: messages.get,
      result: messages.getResult,
      async run(tracker, caller, { id }) {
        return { [name]: showRecord(resource, (await get(tracker, resource, caller, id)).row) }
      },
    },
    {
      entity,
      name: `List${pluralTitle}`,
      request: messages.list,
      result: messages.listResult,
      async run(tracker, caller, { pagination }) {
        requireRole(resource, caller, 'read')
        if (!isContent(pagination)) throw invalid({ pagination: ['Pagination is required.'] })
        const { rows, ...page } = await list(
          tracker,
          resource,
          caller,
          readListQuery(resource, caller, pagination),
        )
        return { result: { ...page, data: rows.map((row) => showRecord(resource, row)) } }
      },
    },
    {
      entity,
      name: `Remove${entity}`,
      request: messages.remove,
      result: messages.removeResult,
      async run(tracker, caller, request) {
        await remove(tracker, resource, caller, request)
        return {}
      },
    },
    {
      entity,
      name: `Update${entity}`,
      request: messages.update,
      result: messages.updateResult,
      async run(tracker, caller, request) {
        await update(tracker, resource, caller, { ...clearedFields(resource), ...request })
        return {}
      },
    },
  ]
}

const isContent = (value: unknown): value is Content => typeof value === 'object' && value !== null

/** In a message nil and absent are one, so an optional field that nobody wrote is cleared. */
const clearedFields = ({ fields }: Resource): Content =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { presence }]) => (presence === 'optional' ? [[name, null]] : [])),
  )
