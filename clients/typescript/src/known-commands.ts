import type { Message } from '../../../src/hosts/commands/message.ts'
import { commandMessagesOf } from '../../../src/hosts/commands/messages.ts'
import { serviceNameOf } from '../../../src/hosts/commands/protobuf/service.ts'
import { resources } from '../../../src/resources/all.ts'

/** One command as a client has to know it. */
interface KnownCommand {
  /** In camelCase, as the method of the client. */
  readonly name: string
  readonly path: string
  readonly request: Message
  readonly result: Message
}

/** Plain data: the build puts it in the place of this module, so that the package brings no declarations along. */
export const knownCommands: readonly KnownCommand[] = resources.flatMap((resource) =>
  Object.values(commandMessagesOf(resource)).map(({ name, request, result }) => ({
    name: name.charAt(0).toLowerCase() + name.slice(1),
    path: `/${serviceNameOf(resource.edition)}/${name}`,
    request,
    result,
  })),
)
