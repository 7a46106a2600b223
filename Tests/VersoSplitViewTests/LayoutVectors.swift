/// The layouts that are given: an input each, and every field of what comes out.
///
/// In an input `none`, `folder` and `file` say what is selected; what is not named has its default.
enum LayoutVectors {
  /// A number and a label, the input, the layout, and a line for each column that exists.
  static let text = """
    1 wide, nothing selected
      80x22 triple normal none
      wide oneBeside - top=- button=no dividers=27
        primary 0,0 27x22 visible dim=0 z=0 live
        secondary 28,0 52x22 visible dim=0 z=0 live
    2 wide, folder selected
      80x22 triple normal folder
      wide twoBeside - top=- button=no dividers=20,41
        primary 0,0 20x22 visible dim=0 z=0 live
        supplementary 21,0 20x22 visible dim=0 z=0 live
        secondary 42,0 38x22 visible dim=0 z=0 live
    3 wide, file selected
      80x22 triple normal file
      wide twoBeside - top=- button=no dividers=20,41
        primary 0,0 20x22 visible dim=0 z=0 live
        supplementary 21,0 20x22 visible dim=0 z=0 live
        secondary 42,0 38x22 visible dim=0 z=0 live
    4 100
      100x38 triple normal file
      wide twoBeside - top=- button=no dividers=25,51
        primary 0,0 25x38 visible dim=0 z=0 live
        supplementary 26,0 25x38 visible dim=0 z=0 live
        secondary 52,0 48x38 visible dim=0 z=0 live
    5 120, file deleted (folder kept)
      120x38 triple normal folder
      wide twoBeside - top=- button=no dividers=30,61
        primary 0,0 30x38 visible dim=0 z=0 live
        supplementary 31,0 30x38 visible dim=0 z=0 live
        secondary 62,0 58x38 visible dim=0 z=0 live
    6 132
      132x41 triple normal file
      wide twoBeside - top=- button=no dividers=33,67
        primary 0,0 33x41 visible dim=0 z=0 live
        supplementary 34,0 33x41 visible dim=0 z=0 live
        secondary 68,0 64x41 visible dim=0 z=0 live
    7 160
      160x48 triple normal file
      wide twoBeside - top=- button=no dividers=40,81
        primary 0,0 40x48 visible dim=0 z=0 live
        supplementary 41,0 40x48 visible dim=0 z=0 live
        secondary 82,0 78x48 visible dim=0 z=0 live
    8 200 maxima
      200x58 triple normal file
      wide twoBeside - top=- button=no dividers=40,89
        primary 0,0 40x58 visible dim=0 z=0 live
        supplementary 41,0 48x58 visible dim=0 z=0 live
        secondary 90,0 110x58 visible dim=0 z=0 live
    9 120, nothing selected: primary at its maximum
      120x38 triple normal none
      wide oneBeside - top=- button=no dividers=40
        primary 0,0 40x38 visible dim=0 z=0 live
        secondary 41,0 79x38 visible dim=0 z=0 live
    10 medium lower edge, file
      60x22 triple normal file
      medium oneBeside - top=- button=yes dividers=20
        primary -16,0 16x22 hidden dim=0 z=0 inert
        supplementary 0,0 20x22 visible dim=0 z=0 live
        secondary 21,0 39x22 visible dim=0 z=0 live
    11 medium upper edge, file
      79x22 triple normal file
      medium oneBeside - top=- button=yes dividers=26
        primary -20,0 20x22 hidden dim=0 z=0 inert
        supplementary 0,0 26x22 visible dim=0 z=0 live
        secondary 27,0 52x22 visible dim=0 z=0 live
    12 medium, nothing selected (primary never auto-hidden)
      60x22 triple normal none
      medium oneBeside - top=- button=no dividers=20
        primary 0,0 20x22 visible dim=0 z=0 live
        secondary 21,0 39x22 visible dim=0 z=0 live
    13 medium, primary presented
      70x22 triple normal file presented
      medium twoDisplace - top=- button=no dividers=18,42
        primary 0,0 18x22 visible dim=0 z=0 live
        supplementary 19,0 23x22 visible dim=0 z=0 live
        secondary 43,0 46x22 visible dim=0.4 z=0 inert
    14 medium, primary presented, lower edge
      60x22 triple normal file presented
      medium twoDisplace - top=- button=no dividers=16,37
        primary 0,0 16x22 visible dim=0 z=0 live
        supplementary 17,0 20x22 visible dim=0 z=0 live
        secondary 38,0 39x22 visible dim=0.4 z=0 inert
    15 medium, pinned open and it fits
      76x22 triple normal file shown
      medium twoBeside - top=- button=no dividers=19,39
        primary 0,0 19x22 visible dim=0 z=0 live
        supplementary 20,0 19x22 visible dim=0 z=0 live
        secondary 40,0 36x22 visible dim=0 z=0 live
    16 sticky (initially open), fits
      79x22 triple sticky file
      medium twoBeside - top=- button=no dividers=20,40
        primary 0,0 20x22 visible dim=0 z=0 live
        supplementary 21,0 19x22 visible dim=0 z=0 live
        secondary 41,0 38x22 visible dim=0 z=0 live
    17 sticky open, does not fit
      70x22 triple sticky file
      medium oneBeside - top=- button=yes dividers=23
        primary -18,0 18x22 hidden dim=0 z=0 inert
        supplementary 0,0 23x22 visible dim=0 z=0 live
        secondary 24,0 46x22 visible dim=0 z=0 live
    18 wide sticky closed
      100x38 triple sticky file hidden
      wide oneBeside - top=- button=yes dividers=33
        primary -25,0 25x38 hidden dim=0 z=0 inert
        supplementary 0,0 33x38 visible dim=0 z=0 live
        secondary 34,0 66x38 visible dim=0 z=0 live
    19 drawer closed
      100x38 triple drawer file
      wide secondaryOnly - top=- button=yes dividers=-
        primary -51,0 25x38 hidden dim=0 z=0 inert
        supplementary -25,0 25x38 hidden dim=0 z=0 inert
        secondary 0,0 100x38 visible dim=0 z=0 live
    20 drawer open
      100x38 triple drawer file shown
      wide twoOver - top=- button=no dividers=25,51
        primary 0,0 25x38 visible dim=0 z=1 live
        supplementary 26,0 25x38 visible dim=0 z=1 live
        secondary 0,0 100x38 visible dim=0.4 z=0 inert
    21 drawer open, medium
      60x22 triple drawer file shown
      medium twoOver - top=- button=no dividers=16,35
        primary 0,0 16x22 visible dim=0 z=1 live
        supplementary 17,0 18x22 visible dim=0 z=1 live
        secondary 0,0 60x22 visible dim=0.4 z=0 inert
    22 drawer open, folder level
      80x22 triple drawer none shown
      wide oneOver - top=- button=no dividers=27
        primary 0,0 27x22 visible dim=0 z=1 live
        secondary 0,0 80x22 visible dim=0.4 z=0 inert
    23 zen
      100x38 triple normal file mode=secondaryOnly
      wide secondaryOnly - top=- button=yes dividers=-
        primary -51,0 25x38 hidden dim=0 z=0 inert
        supplementary -25,0 25x38 hidden dim=0 z=0 inert
        secondary 0,0 100x38 visible dim=0 z=0 live
    24 explicit twoBeside below breakpoint
      76x22 triple normal file mode=twoBeside
      medium twoBeside - top=- button=no dividers=19,39
        primary 0,0 19x22 visible dim=0 z=0 live
        supplementary 20,0 19x22 visible dim=0 z=0 live
        secondary 40,0 36x22 visible dim=0 z=0 live
    25 explicit twoBeside, minima reached
      72x22 triple normal file mode=twoBeside
      medium twoBeside - top=- button=no dividers=16,35
        primary 0,0 16x22 visible dim=0 z=0 live
        supplementary 17,0 18x22 visible dim=0 z=0 live
        secondary 36,0 36x22 visible dim=0 z=0 live
    26 explicit twoBeside, does not fit
      71x22 triple normal file mode=twoBeside
      medium oneBeside - top=- button=yes dividers=24
        primary -18,0 18x22 hidden dim=0 z=0 inert
        supplementary 0,0 24x22 visible dim=0 z=0 live
        secondary 25,0 46x22 visible dim=0 z=0 live
    27 explicit oneBeside when wide
      100x38 triple normal file mode=oneBeside
      wide oneBeside - top=- button=yes dividers=33
        primary -25,0 25x38 hidden dim=0 z=0 inert
        supplementary 0,0 33x38 visible dim=0 z=0 live
        secondary 34,0 66x38 visible dim=0 z=0 live
    28 explicit oneOver
      100x38 triple normal file mode=oneOver
      wide oneOver - top=- button=yes dividers=33
        primary -25,0 25x38 hidden dim=0 z=0 inert
        supplementary 0,0 33x38 visible dim=0 z=1 live
        secondary 0,0 100x38 visible dim=0.4 z=0 inert
    29 compact, nothing
      59x22 triple normal none
      compact collapsed collapsed top=primary button=no dividers=-
        primary 0,0 59x22 visible dim=0 z=0 live
    30 compact, folder
      59x22 triple normal folder
      compact collapsed collapsed top=supplementary button=no dividers=-
        primary -59,0 59x22 hidden dim=0 z=0 inert
        supplementary 0,0 59x22 visible dim=0 z=0 live
    31 compact, file
      59x22 triple normal file
      compact collapsed collapsed top=secondary button=no dividers=-
        primary -59,0 59x22 hidden dim=0 z=0 inert
        supplementary -59,0 59x22 hidden dim=0 z=0 inert
        secondary 0,0 59x22 visible dim=0 z=0 live
    32 compact, file deleted
      40x12 triple normal folder
      compact collapsed collapsed top=supplementary button=no dividers=-
        primary -40,0 40x12 hidden dim=0 z=0 inert
        supplementary 0,0 40x12 visible dim=0 z=0 live
    33 compact, drawer style ignored
      40x12 triple drawer file shown
      compact collapsed collapsed top=secondary button=no dividers=-
        primary -40,0 40x12 hidden dim=0 z=0 inert
        supplementary -40,0 40x12 hidden dim=0 z=0 inert
        secondary 0,0 40x12 visible dim=0 z=0 live
    34 smallest
      20x3 triple normal file
      compact collapsed collapsed top=secondary button=no dividers=-
        primary -20,0 20x3 hidden dim=0 z=0 inert
        supplementary -20,0 20x3 hidden dim=0 z=0 inert
        secondary 0,0 20x3 visible dim=0 z=0 live
    35 too small
      19x10 triple normal file
      tooSmall tooSmall - top=- button=no dividers=-
    36 too short
      80x2 triple normal file
      tooSmall tooSmall - top=- button=no dividers=-
    37 two-pane normal, wide
      100x38 double normal file
      wide oneBeside - top=- button=no dividers=33
        primary 0,0 33x38 visible dim=0 z=0 live
        secondary 34,0 66x38 visible dim=0 z=0 live
    38 two-pane normal, medium (portrait)
      70x22 double normal file
      medium secondaryOnly - top=- button=yes dividers=-
        primary -23,0 23x22 hidden dim=0 z=0 inert
        secondary 0,0 70x22 visible dim=0 z=0 live
    39 two-pane normal, medium, button pressed (popover)
      70x22 double normal file presented
      medium oneOver - top=- button=no dividers=23
        primary 0,0 23x22 visible dim=0 z=1 live
        secondary 0,0 70x22 visible dim=0.4 z=0 inert
    40 two-pane normal, medium, show on command
      70x22 double normal file shown
      medium oneBeside - top=- button=no dividers=23
        primary 0,0 23x22 visible dim=0 z=0 live
        secondary 24,0 46x22 visible dim=0 z=0 live
    41 two-pane sticky open, medium
      70x22 double sticky file
      medium oneBeside - top=- button=no dividers=23
        primary 0,0 23x22 visible dim=0 z=0 live
        secondary 24,0 46x22 visible dim=0 z=0 live
    42 two-pane drawer open
      100x38 double drawer file shown
      wide oneOver - top=- button=no dividers=33
        primary 0,0 33x38 visible dim=0 z=1 live
        secondary 0,0 100x38 visible dim=0.4 z=0 inert
    43 two-pane drawer open, shouldDim off
      100x38 double drawer file shown dims=no
      wide oneOver - top=- button=no dividers=33
        primary 0,0 33x38 visible dim=0 z=1 live
        secondary 0,0 100x38 visible dim=0 z=0 inert
    44 two-pane normal + shouldDim
      100x38 double normal file dims=yes
      wide oneBeside - top=- button=no dividers=33
        primary 0,0 33x38 visible dim=0 z=0 live
        secondary 34,0 66x38 visible dim=0.4 z=0 inert
    45 2010 preset: 320/1024
      128x40 double sticky file pWidth=40
      wide oneBeside - top=- button=no dividers=40
        primary 0,0 40x40 visible dim=0 z=0 live
        secondary 41,0 87x40 visible dim=0 z=0 live
    46 absolute width beats fraction
      100x38 triple normal file pWidth=18 sWidth=30
      wide twoBeside - top=- button=no dividers=18,49
        primary 0,0 18x38 visible dim=0 z=0 live
        supplementary 19,0 30x38 visible dim=0 z=0 live
        secondary 50,0 50x38 visible dim=0 z=0 live
    47 absolute width clamped
      100x38 triple normal file pWidth=5 sWidth=99
      wide twoBeside - top=- button=no dividers=16,63
        primary 0,0 16x38 visible dim=0 z=0 live
        supplementary 17,0 46x38 visible dim=0 z=0 live
        secondary 64,0 36x38 visible dim=0 z=0 live
    48 RTL
      100x38 triple normal file rtl
      wide twoBeside - top=- button=no dividers=48,74
        primary 75,0 25x38 visible dim=0 z=0 live
        supplementary 49,0 25x38 visible dim=0 z=0 live
        secondary 0,0 48x38 visible dim=0 z=0 live
    49 trailing edge, drawer open
      100x38 triple drawer file shown edge=trailing
      wide twoOver - top=- button=no dividers=48,74
        primary 75,0 25x38 visible dim=0 z=1 live
        supplementary 49,0 25x38 visible dim=0 z=1 live
        secondary 0,0 100x38 visible dim=0.4 z=0 inert
    """
}
