import Glibc
import VersoCommands

exit(VersoMain.main())
