import { type ChannelCredentials, type ChannelOptions, credentials } from '@grpc/grpc-js'

export interface TlsOptions {
  /** Certificate authorities as PEM, instead of those that Node knows. */
  readonly ca?: string | Uint8Array
  /** The name that the certificate must have, where the target is called otherwise. */
  readonly serverName?: string
}

export interface Channel {
  readonly credentials: ChannelCredentials
  readonly options: ChannelOptions
}

/** A token must not be sent unencrypted by accident: without TLS only this machine is called, unless an option says otherwise. */
export function credentialsFor(target: string, tls: boolean | TlsOptions = !isThisMachine(target)): Channel {
  if (tls === false) return { credentials: credentials.createInsecure(), options: {} }
  const { ca, serverName } = tls === true ? {} : tls
  return {
    credentials: credentials.createSsl(ca === undefined ? null : Buffer.from(ca as Uint8Array)),
    options:
      serverName === undefined
        ? {}
        : { 'grpc.ssl_target_name_override': serverName, 'grpc.default_authority': serverName },
  }
}

const isThisMachine = (target: string): boolean =>
  /^(?:dns:(?:\/\/\/)?|ipv4:|ipv6:)?(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(target) ||
  /^unix(?:-abstract)?:/.test(target)
