import type { Mutant } from './mutant-table.ts'

/** Rules about tokens, sessions and their ends. */
export const sessionMutants: readonly Mutant[] = [
  {
    file: 'src/authentication/access-token.ts',
    rule: 'an access token has expired at its exp, without any tolerance',
    from: 'now < exp * 1000 && ',
    to: '',
    tests: ['authentication/authenticate'],
  },
  {
    file: 'src/authentication/access-token.ts',
    rule: 'a token that is issued later than clocks differ is rejected',
    from: ' && iat * 1000 <= now + clockSkewSeconds * 1000',
    to: '',
    tests: ['authentication/authenticate'],
  },
  {
    file: 'src/authentication/verify-access-token.ts',
    rule: 'a verified token leaves the cache at its exp',
    from: 'Math.min(claims.expiresAt, now() + rememberedMilliseconds)',
    to: 'now() + rememberedMilliseconds',
    tests: ['authentication/authenticate'],
  },
  {
    file: 'src/hosts/identity/tokens/verify-token.ts',
    rule: 'the identity host takes no token from its exp on',
    from: 'payload && isWithinLifetime(payload, now) ? payload : undefined',
    to: 'payload',
    tests: ['identity/introspection'],
  },
  {
    file: 'src/authentication/authenticate.ts',
    rule: 'a stream asks for a younger answer than a request, so that it ends within the time of the cache',
    from: '(cacheSeconds * 1000) / 3',
    to: '0',
    tests: ['live/session-check'],
  },
  {
    file: 'src/live/session-check.ts',
    rule: 'a stream ends with its token, not with the next tick',
    from: 'waitFor(session.expiresAt - now())',
    to: 'timerMillisecondsMax',
    tests: ['live/session-check'],
  },
  {
    file: 'src/hosts/rest/live-listings.ts',
    rule: 'no live listing is opened for a session that ended while its snapshot was read',
    from: 'if (!(await request.session.recheck())) throw unauthenticated()',
    to: '',
    tests: ['streams-outlasted'],
  },
  {
    file: 'src/live/feed-streams.ts',
    rule: 'no stream of the feed is opened for a session that ended while its first page was read',
    from: 'if (!(await session.recheck())) throw unauthenticated()',
    to: '',
    tests: ['streams-outlasted'],
  },
]
