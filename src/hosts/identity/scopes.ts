import { clientScopes } from '../../model/registered-client.ts'

/** Every scope of the contract. */
export const contractScopes: readonly string[] = [
  'openid',
  'profile',
  'svc.api',
  'svc.grpc',
  'offline_access',
]

/** Every scope there is; one more for registered clients. */
export const scopes: readonly string[] = clientScopes

export const webClientScopes: readonly string[] = ['openid', 'profile', 'svc.api', 'offline_access']

/** What a service client may be given, and is given when its settings name none. */
export const serviceScopes: readonly string[] = ['svc.api', 'svc.grpc']

/** The words of a scope parameter (RFC 6749, 3.3), each once. */
export const splitScope = (scope: string): readonly string[] => [
  ...new Set(scope.split(' ').filter((word) => word !== '')),
]

export interface AudienceSettings {
  readonly issuer: string
  readonly apiAudience: string
  readonly grpcAudience: string
}

/** The hosts that these scopes are for. */
export const hostsOf = (
  scopes: readonly string[],
  { apiAudience, grpcAudience }: Omit<AudienceSettings, 'issuer'>,
): readonly string[] => [
  ...new Set([
    ...(scopes.includes('svc.api') ? [apiAudience] : []),
    ...(scopes.includes('svc.grpc') ? [grpcAudience] : []),
  ]),
]

/** The hosts a token is for: both when both scopes were granted, and the provider itself when none was. */
export function audienceOf(
  granted: readonly string[],
  settings: AudienceSettings,
): string | readonly string[] {
  const [first = settings.issuer, ...others] = hostsOf(granted, settings)
  return others.length === 0 ? first : [first, ...others]
}
