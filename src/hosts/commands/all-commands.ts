import type { Edition } from '../../resources/define-resource.ts'
import { type Command, commandsOfResources } from './commands.ts'
import { historyCommands } from './history-commands.ts'

/** Every command of an edition, in the order of its .proto file. */
export const commands = (edition: Edition): Command[] => [
  ...commandsOfResources(edition),
  ...(edition === 'ext' ? historyCommands : []),
]
