/** The types that the oracle uses. The types of the package would require thirty more packages. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export class Provider {
    readonly Grant: new (
      values: object,
    ) => { addOIDCScope(scope: string): void; save(): Promise<string> }
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
}
