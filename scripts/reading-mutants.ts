// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of the code.
import type { Mutant } from './mutant-table.ts'

/** Rules about how requests are read: queries, timestamps, bodies and paths. */
export const readingMutants: readonly Mutant[] = [
  {
    file: 'src/operations/read-list-query.ts',
    rule: 'a list rejects every filter that it does not support',
    from: '    violations.add(key, `${pluralTitle} cannot be filtered by ${key}.`)',
    to: '',
    tests: ['list-filters'],
  },
  {
    file: 'src/resources/derived.ts',
    rule: 'any field of any resource is such a filter',
    from: '...columns, ...Object.keys(fields)]',
    to: '...columns.slice(0, 0), ...Object.keys(fields).slice(0, 0)]',
    tests: ['list-filters'],
  },
  {
    file: 'src/hosts/rest/register-routes.ts',
    rule: 'capitals in a query key do not matter',
    from: 'request.query = spelled(request.query as ParsedUrlQuery)',
    to: 'void spelled',
    tests: ['rest-spelling'],
  },
  {
    file: 'src/http/query.ts',
    rule: 'a query key in two spellings is a repeated one',
    from: '[before, value].flat()',
    to: 'value',
    tests: ['rest-spelling'],
  },
  {
    file: 'src/hosts/commands/messages.ts',
    rule: 'a filter that no message declares is rejected on the .NET wire too',
    from: 'rejected: [...filterNames].filter(',
    to: 'rejected: [].filter(',
    tests: ['list-filters'],
  },
  {
    file: 'src/model/moment.ts',
    rule: 'a timestamp has a fraction of any number of digits',
    from: '(?:\\.(\\d+))?',
    to: '(?:\\.(\\d{1,7}))?',
    tests: ['model/moment', 'contract/dates'],
  },
  {
    file: 'src/model/moment.ts',
    rule: 'digits that are finer than the store are cut',
    from: 'fraction.slice(0, 6)',
    to: 'fraction.slice(0, 9)',
    tests: ['model/moment'],
  },
  {
    file: 'src/hosts/bank/read-transaction.ts',
    rule: 'the bank takes no amount that only a double makes whole',
    from: 'mayBeRounded.test(text) &&',
    to: 'false &&',
    tests: ['bank/read-transaction'],
  },
  {
    file: 'src/http/body.ts',
    rule: 'bytes that are not UTF-8 are rejected, never replaced',
    from: 'if (!isUtf8(bytes)) throw notUtf8()',
    to: '',
    tests: ['http/body'],
  },
  {
    file: 'src/http/body.ts',
    rule: 'nor are those that a form writes as escapes',
    from: 'if (!hasUtf8Escapes(text)) throw notUtf8()',
    to: '',
    tests: ['http/body'],
  },
  {
    file: 'src/http/body.ts',
    rule: 'a body in another character set is rejected',
    from: 'throw new UnsupportedCharset()',
    to: 'void UnsupportedCharset',
    tests: ['http/body'],
  },
  {
    file: 'src/operations/read-input.ts',
    rule: 'an update with an empty login is rejected',
    from: 'else if (isEmptied(field, input))',
    to: 'else if (!isEmptied)',
    tests: ['contract/users'],
  },
]
