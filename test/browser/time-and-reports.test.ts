import { sumJourneys } from './journeys/sums.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

describeInBrowser('Sums of hours', { 'reports and the week': sumJourneys })
