import type { Edition } from '../../../resources/define-resource.ts'

interface Package {
  /** It names the version: a contract that breaks gets another one beside it. */
  readonly name: string
  /** Of its description, for those who generate clients. */
  readonly file: string
  /** Generators for Go take no file without it. Whoever has another module sets it with the flags of the generator. */
  readonly go: string
  readonly java: string
}

/** What goes beyond v1 has a package of its own, so that v1 stays as it is. */
export const packages: Readonly<Record<Edition, Package>> = {
  v1: {
    name: 'tracker.commands.v1',
    file: 'tracker/commands/v1/commands.proto',
    go: 'tracker/commands/v1;commandsv1',
    java: 'tracker.commands.v1',
  },
  ext: {
    name: 'tracker.ext.v1',
    file: 'tracker/ext/v1/commands.proto',
    go: 'tracker/ext/v1;extv1',
    java: 'tracker.ext.v1',
  },
}

export const serviceNameOf = (edition: Edition): string => `${packages[edition].name}.Commands`
