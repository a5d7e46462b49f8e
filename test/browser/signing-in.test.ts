import { accountJourneys } from './journeys/account.ts'
import { languageJourneys } from './journeys/languages.ts'
import { sessionJourneys } from './journeys/session.ts'
import { signInJourneys } from './journeys/sign-in.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

describeInBrowser('Signing in', {
  'signing in and out': signInJourneys,
  'the session': sessionJourneys,
  'the own account': accountJourneys,
  languages: languageJourneys,
})
