import { TrackerError } from '#tracker-client'
import type { Api, RecordOf, ResourceName, UpdateOf } from './api.ts'

/** More changes by others within one save are not plausible. */
const attemptsMax = 5

const isPreconditionFailed = (error: unknown) => error instanceof TrackerError && error.status === 412

/**
 * Changes a record based on its current version. If another user saves in between, the record is read and
 * changed again. If `bodyOf` returns undefined, there is nothing to save for this version, and the result is
 * undefined, too.
 */
export async function changeRecord<Name extends ResourceName>(
  api: Pick<Api, 'getTagged' | 'update'>,
  name: Name,
  id: string,
  bodyOf: (current: RecordOf<Name>) => UpdateOf<Name> | undefined,
): Promise<{ readonly before: RecordOf<Name>; readonly after: RecordOf<Name> } | undefined> {
  let rejectedTag = ''
  for (let attempt = 1; ; attempt += 1) {
    const { record: before, tag } = await api.getTagged(name, id)
    const body = bodyOf(before)
    if (body === undefined) return undefined
    try {
      // A compressing proxy may alter tags. If the record still has the tag that was just rejected, the
      // update is sent without it.
      return { before, after: await api.update(name, body, tag === rejectedTag ? undefined : tag) }
    } catch (error) {
      if (!isPreconditionFailed(error) || attempt === attemptsMax) throw error
      rejectedTag = tag
    }
  }
}
