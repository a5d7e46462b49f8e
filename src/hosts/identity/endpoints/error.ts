import type { Identity } from '../identity.ts'
import { readSingle } from '../parameters.ts'
import type { Endpoint } from '../route.ts'
import type { ReportedError } from '../sign-in/reported-error.ts'

/** Why an authorization request was rejected that could not be answered to its client. */
export const error =
  ({ seals }: Identity): Endpoint =>
  async ({ parameters }) => {
    const { errorId } = readSingle(parameters)
    const reported = errorId === undefined ? undefined : await seals.open<ReportedError>('errorId', errorId)
    return reported ? { body: reported } : { status: 404, body: unknownError }
  }

/** The envelope, with the two properties that readers of this address expect. */
const unknownError = {
  statusCode: 404,
  message: 'The error was not found.',
  error: 'not_found',
  errorDescription: 'The error was not found.',
}
