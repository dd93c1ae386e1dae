; Inno Setup: the installer for Windows, for one person (no administrator), made by
;   ISCC /DVersion=0.1.0 /DFolder=..\..\dist\neodeskpet /O..\..\dist windows.iss
; Never run so far: docs/other-systems.md.

[Setup]
AppId={{5B0F3E5C-9D7C-4B7E-9B53-6E0D7C0B7F51}
AppName=NeoDeskPet
AppVersion={#Version}
AppPublisher=NeoDeskPet
DefaultDirName={autopf}\NeoDeskPet
DefaultGroupName=NeoDeskPet
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
LicenseFile={#Folder}\licences\NeoDeskPet
OutputBaseFilename=neodeskpet-{#Version}-windows-x64
SetupIconFile={#Folder}\icon.ico
UninstallDisplayIcon={app}\neodeskpet.exe
Compression=lzma2/max
SolidCompression=yes
ChangesAssociations=yes
CloseApplications=yes

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"

[Files]
Source: "{#Folder}\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs

[InstallDelete]
; What an earlier version had and this one doesn't would be found by the program.
Type: filesandordirs; Name: "{app}\_internal"

[Icons]
Name: "{group}\NeoDeskPet"; Filename: "{app}\neodeskpet.exe"
Name: "{autodesktop}\NeoDeskPet"; Filename: "{app}\neodeskpet.exe"; Tasks: desktop

[Tasks]
Name: "desktop"; Description: "An icon on the desktop"; Flags: unchecked

[Registry]
Root: HKA; Subkey: "Software\Classes\NeoDeskPet.File"; ValueType: string; ValueData: "Figure or character card"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\NeoDeskPet.File\DefaultIcon"; ValueType: string; ValueData: "{app}\neodeskpet.exe,0"
; "Open with" for figures and cards; what opens these files by default stays as it is.
Root: HKA; Subkey: "Software\Classes\NeoDeskPet.File\shell\open\command"; ValueType: string; ValueData: """{app}\neodeskpet.exe"" ""%1"""
Root: HKA; Subkey: "Software\Classes\.charx\OpenWithProgids"; ValueType: string; ValueName: "NeoDeskPet.File"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\.zip\OpenWithProgids"; ValueType: string; ValueName: "NeoDeskPet.File"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\.json\OpenWithProgids"; ValueType: string; ValueName: "NeoDeskPet.File"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\.png\OpenWithProgids"; ValueType: string; ValueName: "NeoDeskPet.File"; Flags: uninsdeletevalue

[Run]
Filename: "{app}\neodeskpet.exe"; Description: "Start NeoDeskPet"; Flags: nowait postinstall skipifsilent

[UninstallRun]
; Starting at login is switched on in NeoDeskPet's settings, so the uninstaller takes it away.
Filename: "{sys}\reg.exe"; Parameters: "delete HKCU\Software\Microsoft\Windows\CurrentVersion\Run /v NeoDeskPet /f"; Flags: runhidden; RunOnceId: "login"

; The data folder (%LOCALAPPDATA%\NeoDeskPet\NeoDeskPet) stays; who wants it gone deletes it.
