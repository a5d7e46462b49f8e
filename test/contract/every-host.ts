import { after, before, describe } from 'node:test'
import { commandDriver } from './command-driver.ts'
import { dotnetDriver } from './dotnet-driver.ts'
import type { Driver, Host } from './driver.ts'
import { type RowMaker, rowMaker } from './make-rows.ts'
import { type RestHost, restDriver } from './rest-driver.ts'

/** A running host with the means to fill it. */
export type Tracker<H extends Host = Host> = H & RowMaker & Pick<Driver, 'hasTypedFields' | 'hasNamedKeys'>

const drivers: readonly Driver[] = [restDriver, commandDriver, dotnetDriver]

/** The names of drivers, such as `REST,gRPC`. By default, all drivers run. */
const wires = process.env.TEST_WIRES?.split(',')

/** Declares the tests of a subject once for every host that serves the resources. */
export function onEveryHost(subject: string, define: (tracker: Tracker) => void): void {
  for (const driver of drivers)
    if (wires === undefined || wires.includes(driver.name)) onHost(driver, subject, define)
}

/** Declares tests that only apply to REST. */
export function onRest(subject: string, define: (tracker: Tracker<RestHost>) => void): void {
  onHost(restDriver, subject, define)
}

/** Each test makes its own rows, so they need not wait for each other. */
const concurrency = 12

function onHost<H extends Host>(driver: Driver<H>, subject: string, define: (tracker: Tracker<H>) => void) {
  describe(`${subject}, ${driver.name}`, { concurrency }, () => {
    const running = share(driver)
    const tracker = { hasTypedFields: driver.hasTypedFields, hasNamedKeys: driver.hasNamedKeys } as Tracker<H>
    before(async () => {
      Object.assign(tracker, await running.start())
    })
    after(() => running.leave())
    define(tracker)
  })
}

interface Shared {
  users: number
  tracker?: Promise<Tracker> | undefined
}

/** All test files share one host for each driver, because starting a host costs as much as fifty tests. */
const sharedHosts = new Map<Driver, Shared>()

function share<H extends Host>(driver: Driver<H>) {
  const shared = sharedHosts.get(driver) ?? { users: 0 }
  sharedHosts.set(driver, shared)
  shared.users += 1
  const start = async () => {
    const host = await driver.start()
    const { hasTypedFields, hasNamedKeys } = driver
    return { ...host, ...rowMaker(host), hasTypedFields, hasNamedKeys }
  }
  return {
    start(): Promise<Tracker<H>> {
      shared.tracker ??= start()
      return shared.tracker as Promise<Tracker<H>>
    },
    async leave() {
      shared.users -= 1
      if (shared.users > 0) return
      const tracker = shared.tracker
      shared.tracker = undefined
      await (await tracker)?.stop()
    },
  }
}
