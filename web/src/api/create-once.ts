import type { Api, CreateOf, RecordOf, ResourceName } from './api.ts'
import { isOutage } from './problems.ts'

/**
 * Creates a record with an id that this client has chosen. If the server rejects it, an earlier attempt may
 * have succeeded although its response was lost. In this case, returns the record that the earlier attempt
 * created.
 */
export async function createOnce<Name extends ResourceName>(
  api: Pick<Api, 'create' | 'get'>,
  name: Name,
  body: CreateOf<Name> & { readonly id: string },
): Promise<{ readonly record: RecordOf<Name>; readonly isEarlier: boolean }> {
  try {
    return { record: await api.create(name, body), isEarlier: false }
  } catch (error) {
    if (isOutage(error)) throw error
    const record = await api.get(name, body.id).catch(() => undefined)
    if (record === undefined) throw error
    return { record, isEarlier: true }
  }
}
