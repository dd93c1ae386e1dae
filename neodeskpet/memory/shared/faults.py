"""Why the server of several computers can't be used, in words for the person. The app works on."""

from __future__ import annotations

from neodeskpet.core.errors import StoreError
from neodeskpet.core.wording import N_
from neodeskpet.extras import extra_command


class SharingFault(StoreError):
    code = "sharing"
    what = N_("This computer can't get in step with the others.")
    hint = N_("Everything is kept here meanwhile, and sent later.")


class ServerUnreachable(SharingFault):
    code = "sharing_unreachable"
    what = N_("The PostgreSQL server doesn't answer.")
    hint = N_("Everything is kept here meanwhile, and sent when it answers again.")


class ServerRefused(SharingFault):
    code = "sharing_refused"
    what = N_("The PostgreSQL server doesn't accept the name or the password.")
    hint = N_("Look at the name in the address, and enter the password anew.")


class DatabaseMissing(SharingFault):
    code = "sharing_no_database"
    what = N_("There is no such database on the PostgreSQL server.")
    hint = N_("Create it there, or correct its name at the end of the address.")


class AddressUnfit(SharingFault):
    code = "sharing_address"
    what = N_("This is no address of a PostgreSQL database.")
    hint = N_("It looks like this: postgresql://name@computer/database")


class AddressHoldsPassword(SharingFault):
    code = "sharing_password_in_address"
    what = N_("The address has a password in it, which would lie in the settings for all to read.")
    hint = N_("Take it out of the address, and enter it as the password.")


class ServerTooOld(SharingFault):
    code = "sharing_too_old"
    what = N_("The PostgreSQL server is version {version}; 15 or newer is needed.")
    hint = N_("Update it, or choose another.")


class SchemaTooNew(SharingFault):
    code = "sharing_too_new"
    what = N_("A newer version of NeoDeskPet has written to this server.")
    hint = N_("Update NeoDeskPet on this computer. Everything is kept here meanwhile.")


class ServerFull(SharingFault):
    code = "sharing_full"
    what = N_("The disk of the PostgreSQL server is full.")
    hint = N_("Make room there. Everything is kept here meanwhile, and sent later.")


class ServerForbids(SharingFault):
    code = "sharing_forbidden"
    what = N_("This name may not write to the database on the PostgreSQL server.")
    hint = N_("Give it the right to create a schema there (GRANT CREATE ON DATABASE …).")


class DriverMissing(SharingFault):
    code = "sharing_no_driver"
    what = N_("What speaks with PostgreSQL isn't installed.")
    hint = N_("Install it: {command}")

    def __init__(self, detail: str = "", **params: str) -> None:
        params.setdefault("command", extra_command("postgres"))
        super().__init__(detail, **params)
