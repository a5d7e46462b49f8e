import {
  followChangesMessages,
  readChangesMessages,
  readHistoryMessages,
} from '../../../src/hosts/commands/history-messages.ts'
import type { Message } from '../../../src/hosts/commands/message.ts'
import { type CommandMessages, commandMessagesOf } from '../../../src/hosts/commands/messages.ts'
import { serviceNameOf } from '../../../src/hosts/commands/protobuf/service.ts'
import { resources } from '../../../src/resources/all.ts'
import type { Edition } from '../../../src/resources/define-resource.ts'

/** One command as a client has to know it. */
export interface KnownCommand {
  /** In camelCase, as the method of the client. */
  readonly name: string
  readonly path: string
  readonly request: Message
  readonly result: Message
  /** Answers with messages without an end. */
  readonly isStream?: true
}

/** Plain data: the build replaces this module with it, so that the package contains no declarations. */
export const knownCommands: readonly KnownCommand[] = [
  ...resources.flatMap((resource) =>
    Object.values(commandMessagesOf(resource)).map((messages) => knownOf(resource.edition, messages)),
  ),
  ...[readHistoryMessages, readChangesMessages].map((messages) => knownOf('ext', messages)),
  { ...knownOf('ext', followChangesMessages), isStream: true },
]

function knownOf(edition: Edition, { name, request, result }: CommandMessages): KnownCommand {
  return {
    name: name.charAt(0).toLowerCase() + name.slice(1),
    path: `/${serviceNameOf(edition)}/${name}`,
    request,
    result,
  }
}
