import type { Command } from './commands.ts'
import { messagePack } from './dotnet/message-pack.ts'
import type { Encoding } from './message.ts'
import { protobuf } from './protobuf/protobuf.ts'
import { serviceNameOf } from './protobuf/service.ts'

export interface CommandPath {
  readonly path: string
  readonly encoding: Encoding
}

/** Where one command is called: the path says how its messages are encoded. */
export const pathsOf = (
  { edition, entity, name, request }: Command,
  dotnetNamespace: string,
): CommandPath[] => [
  { path: `/${serviceNameOf(edition)}/${name}`, encoding: protobuf },
  // The .NET clients leave the name of the method empty.
  { path: `/${dotnetNamespace}.${entity}.${request.name}/`, encoding: messagePack },
  { path: `/${dotnetNamespace}.${entity}.${request.name}`, encoding: messagePack },
]

/** Which command a path leads to. */
export function commandNames(commands: readonly Command[], dotnetNamespace: string) {
  const names = new Map(
    commands.flatMap((command) =>
      pathsOf(command, dotnetNamespace).map(({ path }) => [path, command.name] as const),
    ),
  )
  return (path: string): string | undefined => names.get(path)
}
