import { accessibilityJourneys } from './journeys/accessibility.ts'
import { appearanceJourneys } from './journeys/appearance.ts'
import { widthJourneys } from './journeys/widths.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

describeInBrowser('In the client', {
  'with themes, fonts and wide screens': appearanceJourneys,
  'for accessibility': accessibilityJourneys,
  'all screens': widthJourneys('Portuguese, whose words are longer'),
})
