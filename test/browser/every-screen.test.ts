import { accessibilityJourneys } from './journeys/accessibility.ts'
import { otherScreensJourneys } from './journeys/other-screens.ts'
import { rightToLeftJourneys } from './journeys/right-to-left-names.ts'
import { skeletonJourneys } from './journeys/skeletons.ts'
import { widthJourneys } from './journeys/widths.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

describeInBrowser('Every screen', {
  accessibility: accessibilityJourneys,
  'the other screens': otherScreensJourneys,
  'all screens': widthJourneys,
  'shapes while something is loaded': skeletonJourneys,
  'names that are written from right to left': rightToLeftJourneys,
})
