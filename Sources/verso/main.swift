import Glibc
import VersoCommands

exit(VersoMain.main(browser: BrowseRunner.run))
